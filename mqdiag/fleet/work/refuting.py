"""Which faults an incident would show if they were there: only such evidence closes what earlier evidence showed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mqdiag.facts import Input
from mqdiag.findings import Finding, Report
from mqdiag.fleet.files.file_names import ANY, kinds_of_name
from mqdiag.knowledge.card_files import read_card
from mqdiag.rules.catalogue import rule_files

_PART = {"log": "logs", "gc": "logs", "histogram": "heap"}
"""part of the facts that an input of a kind goes into, where it has another name"""


def refuting_rules(report: Report, lost: Iterable[str] = ()) -> list[str]:
    """RULE, and RULE/KIND for each kind of evidence, of the rules that would have found their fault.

    A rule is none of them where its evidence is cut, or does not suffice to decide: one thread dump shows no
    thread that hangs. Nor is one whose fault another finding explains: threads that all hang are no longer busy, and
    not healthy. A file that gave nothing keeps the faults open that evidence of its kind could show.

    Args:
        report: of the files that were read.
        lost: names of the files that were not, for want of memory or the like.
    """
    checked = set(report.checked)
    doubtful = _doubtful_kinds(report).union(
        *map(kinds_that_it_hides, report.inputs), *(kinds_of_name(name) for name in lost)
    )
    if ANY in doubtful:
        return []
    names: dict[str, None] = {}
    for file in rule_files():
        if file.name not in checked or _is_covered(file.name, report.findings):
            continue
        for kinds in file.evidence:
            if doubtful.isdisjoint(kinds) and all(_is_given(report, kind) for kind in kinds):
                names |= dict.fromkeys((file.name, *(f"{file.name}/{kind}" for kind in kinds)))
    return list(names)


def kinds_that_it_hides(given: Input) -> tuple[str, ...]:
    """The kinds of evidence that a file can be which gave nothing: by its first bytes, else by its name.

    A text that no reader knows is evidence only where its name says so.
    """
    # Only what was looked into has a size, not a second name of the same file.
    is_unknown_text = given.skipped is not None and given.bytes is not None
    if given.kind is not None or given.format is not None or (given.error is None and not is_unknown_text):
        return ()
    kinds = kinds_of_name(given.path, is_empty=given.bytes == 0)
    return () if is_unknown_text and ANY in kinds else kinds


def shown_by(found: Finding) -> list[str]:
    """RULE/KIND for each kind of evidence that showed a finding; RULE alone where the rule needs no kind."""
    return [f"{found.rule}/{kind}" for kind in found.seen_in] or [found.rule]


def _doubtful_kinds(report: Report) -> set[str]:
    """The kinds of evidence that are cut, or of which a finding says that they do not suffice."""
    kinds = {kind for found in report.findings if found.undecides for kind in found.seen_in}
    kinds |= {
        _PART.get(given.kind, given.kind)
        for given in report.inputs
        if given.kind is not None and (not given.complete or given.error is not None)
    }
    series = (report.stacks, *(one.stacks for one in report.other_processes))
    if any(one is not None and not one.shows_standstills for one in series):
        kinds.add("stacks")
    return kinds


def _is_given(report: Report, kind: str) -> bool:
    """Whether the report has facts of a kind; of parts that a report does not keep, that the rule ran tells it."""
    if kind == "processes":
        return bool(report.other_processes)
    processes = (report, *report.other_processes)
    return not hasattr(report, kind) or any(getattr(one, kind, None) is not None for one in processes)


def _is_covered(rule: str, findings: tuple[Finding, ...]) -> bool:
    """Whether a fault is there that explains the rule's fault, which then shows in another way."""
    return any(_explains(one, found) for one in read_card(rule).explained_by for found in _faults(findings))


def _faults(findings: tuple[Finding, ...]) -> Iterator[Finding]:
    return (found for found in findings if found.is_fault)


def _explains(named: str, found: Finding) -> bool:
    rule, _, cause = named.partition(":")
    return rule == found.rule and cause in ("", found.cause)
