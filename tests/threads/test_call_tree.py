"""The call tree of all samples: every sample once, callers before what they call, and never too large."""

from __future__ import annotations

from pathlib import Path

from mqdiag.render import View, renderer
from mqdiag.threads.call_tree import MOST_NODES
from tests.threads.made import CONSUME, HTTP, At, facts, report

RESERVE = ("com.acme.Stock.reserve(Stock.java:7)", *CONSUME)


def at(number: int, frames: tuple[str, ...]) -> At:
    return At(f"ConsumeMessageThread_CID_{number}", 26 + number, frames, "RUNNABLE", 1.0)


def two_ways(sample: int) -> list[At]:
    """Two threads read from the network; a third one works in the listener itself."""
    return [at(1, HTTP), at(2, HTTP), at(3, RESERVE if sample else CONSUME)]


def test_samples_of_one_call_are_one_node(tmp_path: Path) -> None:
    nodes = facts(tmp_path, [two_ways(sample) for sample in range(3)]).calls
    root, *inner = nodes
    assert (root.method.rpartition("$")[2], root.parent, root.samples, root.ends) == (
        "ConsumeRequest.run",
        None,
        9,
        0,
    )
    by_method = {node.method: node for node in inner}
    listener = by_method["com.acme.Listener.consumeMessage"]
    assert (listener.samples, listener.ends, listener.doing) == (9, 1, "running")
    reserve = by_method["com.acme.Stock.reserve"]
    assert (reserve.samples, reserve.ends, nodes[reserve.parent or 0]) == (2, 2, listener)
    read = by_method["sun.nio.ch.SocketDispatcher.read0"]
    assert (read.samples, read.ends, read.doing) == (6, 6, "socket-read")


def test_a_caller_is_before_what_it_calls_and_has_all_of_its_samples(tmp_path: Path) -> None:
    nodes = facts(tmp_path, [two_ways(sample) for sample in range(3)]).calls
    inside = [node.ends for node in nodes]
    for place in range(len(nodes) - 1, 0, -1):
        parent = nodes[place].parent
        assert parent is not None
        assert parent < place
        inside[parent] += inside[place]
    assert inside == [node.samples for node in nodes]


def test_the_rarest_calls_of_too_many_are_left_out(tmp_path: Path) -> None:
    own = [(f"com.acme.Step{number}.run(Step.java:1)", *CONSUME) for number in range(2 * MOST_NODES)]
    threads = [at(number, frames) for number, frames in enumerate(own)]
    nodes = facts(tmp_path, [[*threads, at(9000, own[-1])]]).calls
    assert len(nodes) == MOST_NODES
    assert own[-1][0].partition("(")[0] in {node.method for node in nodes}


def test_text_has_the_tree_that_the_page_draws(tmp_path: Path) -> None:
    made = report(tmp_path, [two_ways(sample) for sample in range(3)])
    lines = [line.strip() for line in renderer("text")(made, View(detail="full", width=200)).splitlines()]
    tree = lines[lines.index("Where the threads are") + 1 :]
    assert tree[0].startswith("9 ")
    assert tree[0].endswith("ConsumeRequest.run")
    assert "2 com.acme.Stock.reserve" in tree
    assert tree[tree.index("2 com.acme.Stock.reserve") + 1] == "-> running"
    page = renderer("html")(made, View())
    assert "<title>com.acme.Stock.reserve: 2 of 9 thread samples</title>" in page
    assert "Where the threads are" not in renderer("text")(made, View())
