"""What was not checked: values that could not be read, by value and reason, and lines that no rule judges."""

from __future__ import annotations

import msgspec

from mqdiag.facts.log_lines import LevelLineFacts, UnknownText
from mqdiag.facts.logs import LogsFacts
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


def test_lines_that_no_rule_judges_are_told_beside_findings() -> None:
    def told(count: int) -> str:
        commonest = tuple(UnknownText(text=f"odd <b> {place}", count=count) for place in range(2))
        lines = LevelLineFacts(unclassified=count, commonest=commonest)
        report = msgspec.structs.replace(samples.ARTICLE, logs=LogsFacts(level_lines=lines))
        return " ".join(renderer("text")(report, View(width=250)).split())

    assert 'No rule judges 812 lines at WARN or ERROR; the commonest is "odd <b> 0" (812 times).' in told(812)
    assert "No rule judges" not in told(3)
