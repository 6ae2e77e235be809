from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.processes import ProcessFacts
from mqdiag.facts.stacks import StacksFacts, ThreadAt, ThreadFacts
from mqdiag.facts.vocabulary import State

URL = "pricing.url"


def instance(number: int, state: State, url: str) -> ProcessFacts:
    """One consumer with one thread."""
    thread = ThreadFacts(
        name="ConsumeMessageThread_1",
        role="consume-worker",
        group="CID_orders",
        state=state,
        samples=(ThreadAt(state="RUNNABLE"),) * 5,
    )
    return ProcessFacts(
        name=f"pid {number}",
        pid=number,
        main_class="com.acme.Orders",
        settings={URL: url, "instance": f"orders-{number}"},
        stacks=StacksFacts(samples=5, judged=True, threads=(thread,)),
    )


def _facts(third: str) -> Facts:
    states: tuple[State, ...] = ("progressing", "idle", "stuck", "progressing")
    return Facts(
        processes=tuple(
            instance(number, state, third if number == 3 else "http://a")
            for number, state in enumerate(states, 1)
        )
    )


def fires() -> Facts:
    """The third of four asks another URL, and stands."""
    return _facts("http://b")


def silent() -> Facts:
    """It asks the same one: the settings do not explain why it stands."""
    return _facts("http://a")
