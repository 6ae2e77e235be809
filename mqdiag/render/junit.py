"""JUnit XML, which every CI server reads: a rule is a test case, a finding that fails the run is a failure.

What `--fail-on` lets pass is written into the output of its test case, so that the test report and the exit
code say the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from mqdiag.baseline import lowered_line
from mqdiag.fail_on import FailOn
from mqdiag.findings import Finding, Report
from mqdiag.language import Writer
from mqdiag.render import View
from mqdiag.render.wording.about import about_line
from mqdiag.render.wording.accepted import accepted_line, lapsed_line
from mqdiag.render.wording.actions import action_lines
from mqdiag.render.wording.ci_commands import Syntax
from mqdiag.render.wording.safe import safe

SYNTAX = Syntax.MARKUP
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'
RULES = "mqdiag.rules"
INPUTS = "mqdiag.inputs"
ANSWER = "mqdiag.answer"
LONGEST = 4000  # a title may hold a name from the dump, and that any length


def render(report: Report, view: View) -> str:
    """One suite; counts stand on it, as the readers expect."""
    suite = Element("testsuite", name="mqdiag")
    write = view.write
    cases = [
        *_inputs(report, write),
        *_answer(report, view.fail_on, write),
        *_findings(report, view.fail_on, write),
        *_silent(report, write),
    ]
    suite.extend(cases)
    for outcome, total in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        suite.set(total, str(sum(case.find(outcome) is not None for case in cases)))
    suite.set("tests", str(len(cases)))
    suite.set("time", "0")
    if report.lapsed:
        _text(SubElement(suite, "system-out"), (write(lapsed_line(lapsed)) for lapsed in report.lapsed))
    counts = {name: value for name, value in suite.attrib.items() if name != "skipped"}
    root = Element("testsuites", counts)
    root.append(suite)
    indent(root)
    return f"{DECLARATION}\n{tostring(root, encoding='unicode')}\n"


def _inputs(report: Report, write: Writer) -> Iterator[Element]:
    """Unreadable inputs fail the run only when there is no other."""
    outcome = "skipped" if any(given.was_read for given in report.inputs) else "error"
    for given in report.inputs:
        case = _case(INPUTS, given.path)
        why = given.error or given.skipped
        if why is not None:
            SubElement(case, outcome, message=safe(write(why), limit=LONGEST))
        yield case


def _answer(report: Report, fail_on: FailOn, write: Writer) -> Iterator[Element]:
    """A case for the answer where an undecided one fails the run, and one for what the configuration lowered."""
    if report.lowered:
        case = _case(ANSWER, "lowered")
        _text(SubElement(case, "system-out"), [write(lowered_line(report))])
        yield case
    if fail_on.undecided:
        case = _case(ANSWER, report.answer.state)
        if fail_on.is_too_unsure(report):
            SubElement(
                case, "failure", message=safe(write(report.answer.text), limit=LONGEST), type="undecided"
            )
        yield case


def _findings(report: Report, fail_on: FailOn, write: Writer) -> Iterator[Element]:
    """One case a rule, whatever it found: it keeps its name from run to run, so servers can draw its history."""
    by_rule: dict[str, list[Finding]] = {}
    for found in report.findings:
        by_rule.setdefault(found.rule, []).append(found)
    for rule, all_found in by_rule.items():
        case = _case(RULES, rule)
        failing = [found for found in all_found if fail_on.is_failure(found)]
        if failing:
            more = "" if len(failing) == 1 else f" (and {len(failing) - 1} more)"
            message = f"{safe(write(failing[0].title), limit=LONGEST)}{more}"
            _text(
                SubElement(case, "failure", message=message, type=safe(failing[0].cause)),
                _lines(failing, write),
            )
        elif all(found.accepted is not None for found in all_found):
            SubElement(case, "skipped", message=f"known, {len(all_found)} found")
        passing = [found for found in all_found if found not in failing]
        if passing:
            _text(SubElement(case, "system-out"), _lines(passing, write))
        yield case


def _silent(report: Report, write: Writer) -> Iterator[Element]:
    """A case for each rule that found nothing: it passed, could not be checked, or crashed."""
    named = {found.rule for found in report.findings}
    for rule in report.checked:
        if rule not in named:
            yield _case(RULES, rule)
    for failed in report.failed:
        case = _case(RULES, failed.rule)
        SubElement(case, "error", message=safe(failed.error, limit=LONGEST), type="crash")
        yield case
    reasons: dict[str, list[str]] = {}
    for skipped in report.skipped:
        if skipped.rule not in {*named, *report.checked}:
            reasons.setdefault(skipped.rule, []).append(write(skipped.reason))
    for rule, why in reasons.items():
        case = _case(RULES, rule)
        SubElement(case, "skipped", message=safe("; ".join(why), limit=LONGEST))
        yield case


def _case(classname: str, name: str) -> Element:
    return Element("testcase", classname=classname, name=safe(name), time="0")


def _lines(findings: Iterable[Finding], write: Writer) -> Iterator[str]:
    for found in findings:
        yield f"{found.severity.value.upper()} {write(found.title)}"
        if found.accepted is not None:
            yield f"Known: {write(accepted_line(found.accepted))}"
        named = about_line(found.subject)
        if named:
            yield f"About: {write(named)}"
        yield from map(write, found.explanation)
        yield from action_lines(found, write)


def _text(element: Element, lines: Iterable[str]) -> None:
    """Control characters, which XML cannot hold even as references, are escapes after `safe`."""
    element.text = "\n".join(safe(line, limit=LONGEST) for line in lines)
