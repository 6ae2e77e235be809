"""A summary for pull requests and job pages: the verdict, a table of the findings, and what to change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mqdiag.findings import Finding, Report, Severity
from mqdiag.render import View
from mqdiag.render.markdown.escape import escaped
from mqdiag.render.wording.about import about_line
from mqdiag.render.wording.accepted import accepted_line, lapsed_line
from mqdiag.render.wording.reading import was_read
from mqdiag.render.wording.totals import totals_line
from mqdiag.render.wording.words import word
from mqdiag.text import say

MOST_ROWS = 100
MOST_NAMES = 10
MOST_DETAILS = 10
"""A comment holds 65,536 characters; ten findings with all their evidence take a third."""


def render(report: Report, view: View) -> str:
    """The whole summary."""
    fails = view.fail_on != "never" and any(found.fails_at(Severity(view.fail_on)) for found in report.findings)
    blocks = [f"## mqdiag: {totals_line(report)}", *_opening(report, fails), *_verdict(report)]
    new = [found for found in report.findings if found.accepted is None]
    if new:
        blocks.append(_table(("", say("finding"), say("rule")), map(_row, new[:MOST_ROWS])))
    blocks += _more(len(new) - MOST_ROWS, say("more findings are in the other formats"))
    for found in new[:MOST_DETAILS]:
        blocks += _details(found)
    blocks += _known(report)
    blocks += _bullets(say("Accepted no longer"), map(lapsed_line, report.lapsed))
    blocks += _unchecked(report)
    return "\n\n".join(blocks) + "\n"


def _opening(report: Report, fails: bool) -> Iterator[str]:
    names = [escaped(given.path) for given in report.inputs if was_read(given)]
    read = ", ".join(names[:MOST_NAMES]) + (
        say(" and {names} more", names=len(names) - MOST_NAMES) if names[MOST_NAMES:] else ""
    )
    lost = [f"{given.path}: {given.error}" for given in report.inputs if given.error is not None]
    if read:
        verdict = say("This fails the run.") if fails else say("This does not fail the run.")
        yield say(
            "{verdict} {checked} rules were checked on {read}.",
            verdict=verdict,
            checked=len(report.checked),
            read=read,
        )
    yield from _bullets(say("Could not be read"), lost[:MOST_ROWS])
    yield from _bullets(say("Faults of mqdiag"), (f"{failed.rule}: {failed.error}" for failed in report.failed))


def _verdict(report: Report) -> Iterator[str]:
    """The one answer of a diagnosis, with what follows and what disagrees."""
    verdict = report.verdict
    if verdict is None:
        return
    sure = ""
    if verdict.confidence is not None:
        sure = f" ({say('{confidence} confidence', confidence=word(verdict.confidence))})"
    yield f"**{escaped(verdict.statement, limit=1000)}**{sure}"
    yield from _bullets(say("What follows from it now"), verdict.consequences)
    yield from _bullets(say("Evidence that agrees"), verdict.agreements)
    yield from _bullets(say("Evidence that disagrees"), verdict.contradictions)
    yield from _bullets(say("Faults of another time or broker"), verdict.elsewhere)


def _row(found: Finding) -> tuple[str, str, str]:
    return _mark(found), escaped(found.title, limit=400), f"`{found.rule}`"


def _mark(found: Finding) -> str:
    said = word(found.severity.value)
    return f"**{said}**" if found.severity is Severity.ERROR else said


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _details(found: Finding) -> Iterator[str]:
    heading = say("{head}: {text}", head=word(found.severity.value).upper(), text=escaped(found.title))
    yield f"### {heading}"
    named = about_line(found.subject)
    sure = say("{confidence} confidence", confidence=word(found.confidence))
    if found.confidence_reason:
        sure = say("{head}: {text}", head=sure, text=escaped(found.confidence_reason))
    yield say(". ").join(filter(None, (escaped(named), sure[0].upper() + sure[1:])))
    if found.explanation:
        yield "\n".join(f"- {escaped(line)}" for line in found.explanation)
    if found.remedy:
        yield f"**{say('What to change')}**"
        yield "\n".join(f"{number}. {escaped(step)}" for number, step in enumerate(found.remedy, 1))
    rule, cause, print_ = f"`{found.rule}`", f"`{found.cause}`", f"`{found.fingerprint}`"
    yield f"<sub>{say('rule {rule}, cause {cause}, fingerprint {print}', rule=rule, cause=cause, print=print_)}</sub>"


def _known(report: Report) -> Iterator[str]:
    known = [found for found in report.findings if found.accepted is not None]
    if not known:
        return
    yield f"### {say('Known, not counted')}"
    yield _table(
        ("", say("finding"), say("rule"), say("accepted because")),
        (
            (*_row(found), escaped(accepted_line(found.accepted)))
            for found in known[:MOST_ROWS]
            if found.accepted is not None
        ),
    )
    yield from _more(len(known) - MOST_ROWS, say("more are known"))


def _unchecked(report: Report) -> Iterator[str]:
    """Folded away: the reasons, each with the rules that share it."""
    by_reason: dict[str, list[str]] = {}
    for skipped in report.skipped:
        by_reason.setdefault(skipped.reason, []).append(skipped.rule)
    if not by_reason:
        return
    yield f"<details><summary>{say('Not checked, and why')}</summary>"
    yield "\n".join(
        f"- {escaped(reason)}: {', '.join(f'`{rule}`' for rule in dict.fromkeys(rules))}"
        for reason, rules in list(by_reason.items())[:MOST_ROWS]
    )
    yield "</details>"


def _bullets(title: str, lines: Iterable[str]) -> Iterator[str]:
    shown = [f"- {escaped(line)}" for line in lines]
    if shown:
        yield f"### {title}"
        yield "\n".join(shown)


def _more(count: int, what: str) -> Iterator[str]:
    if count > 0:
        yield f"{count} {what}."
