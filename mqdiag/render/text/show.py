"""One object or one class, as `mqdiag show` prints it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mqdiag.facts.shown import Shown, ShownClass, ShownHolder, ShownObject, ShownValue
from mqdiag.findings import Report
from mqdiag.render.text.merged_paths import show_paths
from mqdiag.render.text.page import Column, Page
from mqdiag.render.wording.class_names import fit
from mqdiag.render.wording.safe import safe
from mqdiag.render.wording.sizes import number, share, size
from mqdiag.text import say

NAME_ROOM = 30
STRING = "java.lang.String"
CLASS = "java.lang.Class"
SUBCLASSES_SHOWN = 10


def show_shown(page: Page, report: Report, shown: Shown) -> None:
    """What was asked for, and where the dump ends too early."""
    if shown.object is not None:
        _object(page, shown.object)
    if shown.class_ is not None:
        _class(page, shown.class_)
    for given in report.inputs:
        if not given.complete:
            page.blank()
            page.paragraph(
                say("The dump is incomplete, so sizes and paths may be: {problem}", problem=given.problem),
                indent=0,
            )


def _object(page: Page, one: ShownObject) -> None:
    page.paragraph(f"{fit(one.class_name, page.view.width - 20)} {one.object_id}", indent=0, style="bold")
    page.pairs(_summary(one))
    _values(page, "Fields", one.fields)
    _values(page, say("Static fields"), one.statics)
    _elements(page, one)
    _entries(page, one)
    if one.reachable:
        _dominators(page, one)
        page.heading(say("Paths from GC roots, the shortest through each referrer, merged"))
        show_paths(page, one.paths, sum(step.instances for step in one.paths), "referrer")
    _referrers(page, one)


def _summary(one: ShownObject) -> Iterator[tuple[str, str]]:
    if one.label is not None:
        yield say("is"), one.label
    yield say("shallow"), size(one.shallow_bytes)
    if one.reachable:
        yield (
            say("retained"),
            say("{retained_bytes:bytes}, which go when it goes", retained_bytes=one.retained_bytes),
        )
    else:
        yield say("reachable"), say("no: nothing keeps it alive, the next collection takes it")
    if one.root is not None:
        yield say("GC root"), one.root
    if one.length is not None:
        yield say("length"), number(one.length)
    if one.class_name == "byte[]":
        yield say("content"), say("never shown")


def _values(page: Page, title: str, values: Iterable[ShownValue]) -> None:
    groups: dict[str | None, list[ShownValue]] = {}
    for value in values:
        groups.setdefault(value.declared_by, []).append(value)
    for declared_by, members in groups.items():
        page.heading(
            title
            if declared_by is None
            else say(
                "{title} of {declared_by}", title=title, declared_by=fit(declared_by, page.view.width - 12)
            )
        )
        page.pairs((value.name, value_text(value, page.view.width - NAME_ROOM)) for value in members)


def value_text(value: ShownValue, width: int) -> str:
    """A value in a line: 42, "text", RUNNING (some.Enum), some.Class 0xe0001234, 12 entries."""
    if value.object_id is None:
        if value.type == "reference" or value.value is None:
            return "null" if value.type == "reference" else "?"
        if isinstance(value.value, bool):
            return str(value.value).lower()
        return f"'{safe(value.value)}'" if isinstance(value.value, str) else str(value.value)
    name = fit(value.class_name or "?", width - len(value.object_id) - 1)
    if isinstance(value.value, str) and value.class_name == STRING:
        # Escaped before it is quoted: a text must not look like the end of itself.
        quoted = safe(value.value.replace("\\", "\\\\").replace('"', '\\"'), limit=None)
        more = "" if value.length is None or value.length <= len(value.value) else f" ({number(value.length)})"
        return f'"{quoted}"{more}'
    if value.class_name == CLASS:
        return f"{value.value} {value.object_id}"
    if (value.class_name or "").endswith("[]") and value.length is not None:
        return f"{name[:-1]}{value.length}] {value.object_id}"
    if value.value is not None:
        plain = str(value.value).lower() if isinstance(value.value, bool) else value.value
        # Of the JDK's boxes everybody knows the package.
        return f"{plain} ({name.rsplit('.', 1)[-1] if name.startswith('java.') else name})"
    entries = "" if value.length is None else say(", {length:count} entries", length=value.length)
    return f"{name} {value.object_id}{entries}"


def _elements(page: Page, one: ShownObject) -> None:
    if one.elements:
        page.heading(say("Elements") if len(one.elements) == one.length else say("First elements"))
        width = page.view.width - 10
        if one.elements[0].type == "reference":
            rows = [(f"[{at}]", value_text(value, width)) for at, value in enumerate(one.elements)]
            page.pairs(rows)
        else:
            page.paragraph(", ".join(value_text(value, width) for value in one.elements))


def _entries(page: Page, one: ShownObject) -> None:
    if one.entry_count is None:
        return
    page.heading(
        say("Entries: {entry_count:count}", entry_count=one.entry_count)
        + (say(", the first ones") if one.entries else "")
    )
    half = page.view.width // 2 - 3
    if any(entry.key is not None for entry in one.entries):
        page.table(
            [Column(head=say("key")), Column(head=say("value"))],
            [
                ("" if entry.key is None else value_text(entry.key, half), value_text(entry.value, half))
                for entry in one.entries
            ],
        )
    else:
        page.bullets(value_text(entry.value, page.view.width - 6) for entry in one.entries)


def _dominators(page: Page, one: ShownObject) -> None:
    page.heading(say("Dominated by"))
    if not one.dominators:
        page.paragraph(
            say("nothing but the GC roots: it is a root, or several ways lead to it that share no object")
        )
    left_out = one.dominator_count - len(one.dominators)
    for at, holder in enumerate(one.dominators):
        if left_out and at == len(one.dominators) // 2:
            page.hanging("..", say("{left_out:count} more", left_out=left_out))
        page.hanging("<-", _holder(page, holder))


def _referrers(page: Page, one: ShownObject) -> None:
    more = one.referrer_count - len(one.referrers)
    page.heading(
        say("Referred to by {referrer_count:count}", referrer_count=one.referrer_count)
        + (say(", the largest") if more else "")
    )
    for holder in one.referrers:
        page.hanging("-", _holder(page, holder))


def _holder(page: Page, holder: ShownHolder) -> str:
    tail = say(
        " {object_id}, {retained_bytes:bytes} retained",
        object_id=holder.object_id,
        retained_bytes=holder.retained_bytes,
    )
    name = f" {holder.label}" if holder.label else ""
    class_name = holder.class_name
    if class_name == CLASS and holder.label:
        name, class_name = "", holder.label
    field = holder.field or ""
    by = say(", by {field}", field=_field(field, holder.class_name)) if field else ""
    return fit(class_name, page.view.width - 6 - len(tail) - len(name) - len(by)) + name + tail + by


def _field(field: str, class_name: str) -> str:
    """The field's own name; of a superclass or of a class object it is named in full."""
    return field.removeprefix(f"{class_name}.") or field


def _class(page: Page, one: ShownClass) -> None:
    page.paragraph(fit(one.name, page.view.width), indent=0, style="bold")
    page.pairs(_class_summary(one))
    _values(page, say("Static fields"), one.statics)
    if one.subclasses:
        counted = say("counted too") if one.with_subclasses else say("not counted above; --subclasses does")
        page.heading(say("Subclasses with instances ({counted})", counted=counted))
        page.table(
            [Column(head=say("instances"), right=True), Column(head=say("class"))],
            [
                (number(row.instances), fit(row.name, page.view.width - 16))
                for row in one.subclasses[:SUBCLASSES_SHOWN]
            ],
        )
        if len(one.subclasses) > SUBCLASSES_SHOWN:
            page.paragraph(
                say("and {subclasses:count} more", subclasses=len(one.subclasses) - SUBCLASSES_SHOWN)
            )
    if one.paths:
        page.heading(
            say(
                "Paths from GC roots to {reachable_instances:count} instances, the shortest, merged",
                reachable_instances=one.reachable_instances,
            )
        )
        show_paths(page, one.paths, one.reachable_instances, "instance")
    _largest(page, one)


def _class_summary(one: ShownClass) -> Iterator[tuple[str, str]]:
    yield say("instances"), number(one.instances)
    if one.reachable_instances != one.instances:
        yield (
            "",
            say("{instances:count} of them unreachable", instances=one.instances - one.reachable_instances),
        )
    yield say("shallow"), size(one.shallow_bytes)
    yield say("retained"), size(one.retained_bytes)
    if one.superclasses:
        yield say("extends"), ", ".join(one.superclasses)
    if one.class_ids:
        loaders = say(", {loaders} loaders", loaders=one.loaders) if one.loaders > 1 else ""
        yield say("class object"), f"{', '.join(one.class_ids[:5])}{loaders}"


def _largest(page: Page, one: ShownClass) -> None:
    if not one.largest:
        return
    page.heading(say("Instances by retained size"))
    page.table(
        [
            Column(head=say("object")),
            Column(head=say("shallow"), right=True),
            Column(head=say("retained"), right=True),
            Column(head=say("share"), right=True),
            Column(head=""),
        ],
        [
            (
                row.object_id,
                size(row.shallow_bytes),
                size(row.retained_bytes) if row.reachable else say("unreachable"),
                share(row.retained_bytes, one.retained_bytes) if row.reachable else "",
                row.label or (f"[{number(row.length)}]" if row.length is not None else ""),
            )
            for row in one.largest
        ],
    )
    if one.instances > len(one.largest):
        page.paragraph(say("and {instances:count} more", instances=one.instances - len(one.largest)))
