"""Values that could not be read: one line for each value and reason, and none for what a consumer cannot have."""

from __future__ import annotations

import msgspec

from mqdiag.render import View, renderer
from mqdiag.text import say
from tests.render import samples

NO_MEAN = say("too few messages")


def _text(*groups: str, caches: bool = True) -> str:
    (one, *_) = samples.ARTICLE_HEAP.consumers
    unknown = {"bound_bytes": NO_MEAN, "bound_max_bytes": NO_MEAN}
    consumers = tuple(
        msgspec.structs.replace(
            one,
            group=group,
            unknown=unknown,
            traits=msgspec.structs.replace(one.traits, caches_messages=caches),
        )
        for group in groups
    )
    heap = msgspec.structs.replace(samples.ARTICLE_HEAP, consumers=consumers, unknown={})
    report = msgspec.structs.replace(samples.ARTICLE, heap=heap)
    return " ".join(renderer("text")(report, View(width=250)).split())


def test_groups_without_a_bound_are_one_line() -> None:
    line = 'the bound by thresholds ("allowed") of a, b, c and 2 more groups: too few messages'
    text = _text("a", "b", "c", "d", "e")
    assert line in text
    assert text.count("too few messages") == 1
    assert 'the bound by thresholds ("allowed") of a and b: too few messages' in _text("a", "b")


def test_a_consumer_that_caches_nothing_lacks_no_bound() -> None:
    assert "too few messages" not in _text("a", caches=False)
