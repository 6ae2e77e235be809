"""What one stack says about the message in hand: for a heap dump, which has no second sample to compare."""

from __future__ import annotations

from mqdiag.facts.heap import ListenerCall
from mqdiag.language import say
from mqdiag.read.stacks.body import method_of
from mqdiag.read.stacks.records import Stack
from mqdiag.threads import roles
from mqdiag.threads.align import Track
from mqdiag.threads.explain import explain
from mqdiag.threads.view import view_of


def listener_call(frames: tuple[str, ...], state: str | None) -> ListenerCall | None:
    """The call of a listener on a stack; None when the stack has none.

    Args:
        frames: top first.
        state: Thread.State, None when the dump does not say it.
    """
    view = view_of(
        Stack(
            state=state or "",
            detail="",
            frames=frames,
            methods=tuple(method_of(frame) for frame in frames),
        )
    )
    if view.listener is None:
        return None
    worker = Track(
        records=[], views=[], jvm=0, role=roles.CONSUME_WORKER, pool=None, group=None, name="", present=[]
    )
    # A thread that waits for nothing computes, and that for as long as its message is in hand.
    why = explain(worker, view, computing=view.doing == "running")
    return ListenerCall(
        listener=view.listener,
        frame=view.own_frame,
        doing=view.doing,
        cause=why.cause,
        library=why.library,
        remedy=tuple(map(say, why.remedy)),
    )
