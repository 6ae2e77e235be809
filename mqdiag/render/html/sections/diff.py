"""Two sides compared: findings that came and went, what grew, settings that changed."""

from __future__ import annotations

from collections.abc import Sequence

from mqdiag.facts.diff import DiffFacts, FindingChange, Growth
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.html.page.cells import count_cell, size_cell, table
from mqdiag.render.html.page.parts import AnyPart, Bullets, Cell, Pairs, Section
from mqdiag.text import say


def diff_section(report: Report, view: View) -> Section | None:
    """Nothing where nothing was compared."""
    diff = report.diff
    if diff is None:
        return None
    parts: list[AnyPart] = [Pairs(_summary(diff))]
    if diff.remarks:
        parts.append(Bullets(diff.remarks))
    for name, caption, changes in (
        ("new", say("New findings"), diff.new),
        ("gone", say("Findings that are gone"), diff.gone),
        ("changed", say("Findings that changed"), diff.changed),
    ):
        if changes:
            parts.append(_findings(name, caption, changes))
    if diff.holders:
        rows = [(one.name, one.owner, *_sizes(one.retained_bytes)) for one in diff.holders]
        parts.append(table("holders-grown", "Holders", ("held under", "of", *_HEADS), rows))
    if diff.classes:
        classes = [(one.name, *_counts(one.instances), *_sizes(one.shallow_bytes)) for one in diff.classes]
        note = (
            say("and {classes_left_out:count} more classes", classes_left_out=diff.classes_left_out)
            if diff.classes_left_out
            else ""
        )
        heads = [
            "class",
            "#instances before",
            "#after",
            "#grown",
            "#bytes before",
            "#bytes after",
            "#bytes grown",
        ]
        parts.append(table("classes-grown", "Classes", heads, classes, note))
    if diff.consumers:
        consumers = [
            (one.group, one.kind, *_counts(one.messages), *_sizes(one.body_bytes), count_cell(one.lag.grown))
            for one in diff.consumers
        ]
        heads = ["group", "kind", "#messages before", "#after", "#grown", *_BYTES, "#backlog grown"]
        parts.append(table("consumers-grown", "Consumers", heads, consumers))
    if diff.settings:
        settings = [(one.of, one.key, _text(one.before), _text(one.after)) for one in diff.settings]
        parts.append(table("settings-changed", "Settings", ("of", "setting", "before", "after"), settings))
    if diff.events:
        events = [(one.kind, *_counts(one.lines)) for one in diff.events]
        parts.append(table("events-grown", "Log events", ("event", "#before", "#after", "#grown"), events))
    return Section(name="diff", title=say("What changed"), parts=parts)


_HEADS = ("#before", "#after", "#grown")
_BYTES = ("#bytes before", "#bytes after", "#bytes grown")


def _summary(diff: DiffFacts) -> list[tuple[str, str]]:
    rows = [(say("before"), diff.before.path), (say("after"), diff.after.path)]
    if diff.heap_bytes.before is not None and diff.heap_bytes.after is not None:
        rows.append(
            (
                say("reachable"),
                say(
                    "{before:bytes} to {after:bytes}",
                    before=diff.heap_bytes.before,
                    after=diff.heap_bytes.after,
                ),
            )
        )
    rows.append(
        (
            say("findings"),
            say(
                "{new} new, {gone} gone, {changed} changed, {same} the same",
                new=len(diff.new),
                gone=len(diff.gone),
                changed=len(diff.changed),
                same=diff.same,
            ),
        )
    )
    return rows


def _findings(name: str, caption: str, changes: Sequence[FindingChange]) -> AnyPart:
    rows = [
        (
            one.title,
            one.rule,
            say(" to ").join(filter(None, (one.severity_before, one.severity_after))),
            "" if one.checked else say("the other side had no evidence for it"),
            "; ".join(
                say(
                    "{key}: {text} to {text_2}", key=each.key, text=_text(each.before), text_2=_text(each.after)
                )
                for each in one.evidence
            ),
        )
        for one in changes
    ]
    return table(f"findings-{name}", caption, ("finding", "rule", "severity", "mind", "numbers"), rows)


def _counts(growth: Growth) -> tuple[Cell, Cell, Cell]:
    return count_cell(growth.before), count_cell(growth.after), count_cell(growth.grown)


def _sizes(growth: Growth) -> tuple[Cell, Cell, Cell]:
    return size_cell(growth.before), size_cell(growth.after), size_cell(growth.grown)


def _text(value: object) -> str:
    return say("not known") if value is None else str(value)
