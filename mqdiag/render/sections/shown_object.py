"""One object or one class, as `mqdiag show` prints it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mqdiag.facts.ratios import ratio
from mqdiag.facts.shown import ShownClass, ShownHolder, ShownInstance, ShownObject, ShownValue
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import (
    NO_VALUE,
    AnyPart,
    Branch,
    Pairs,
    Paragraph,
    Section,
    Tree,
    Words,
)
from mqdiag.render.sections.merged_paths import paths_tree
from mqdiag.render.tables import Tables
from mqdiag.text import NOTHING, Text, Value, say

TABLES = Tables("shown_object")

_STRING = "java.lang.String"
_CLASS = "java.lang.Class"
_ALL = 1 << 30
"""rows that `--limit` has cut already"""


def shown_sections(report: Report, view: View) -> Iterator[Section]:
    """What was asked for, and where the dump ends too early."""
    shown = report.show
    if shown is None:
        return
    if shown.object is not None:
        yield from _object(shown.object)
    if shown.class_ is not None:
        yield from _class(shown.class_)
    for given in report.inputs:
        if not given.complete:
            words = say(
                "The dump is incomplete, so sizes and paths may be incomplete too: {problem}",
                problem=given.problem,
            )
            yield Section(name="incomplete", title=say("Incomplete input"), parts=(Paragraph(words),))


def _object(one: ShownObject) -> Iterator[Section]:
    title = say("{class_name} {object_id}", one)
    yield Section(name="object", title=title, parts=(Pairs(list(_summary(one))),))
    yield from _values("fields", say("Fields"), say("Fields of {declared_by}"), one.fields)
    yield from _values("statics", say("Static fields"), say("Static fields of {declared_by}"), one.statics)
    if one.elements:
        yield _elements(one)
    if one.entry_count is not None:
        yield _entries(one)
    if one.reachable:
        yield _dominators(one)
        yield Section(
            name="paths",
            title=say("Paths from GC roots, the shortest through each referrer, merged"),
            parts=(paths_tree(one.paths, sum(step.instances for step in one.paths), of_referrers=True),),
        )
    yield _referrers(one)


def _summary(one: ShownObject) -> Iterator[tuple[Words, Value]]:
    yield from TABLES.pairs("object", one)
    if one.class_name == "byte[]":
        yield say("content"), say("never shown")


def _values(name: str, own: Text, inherited: Text, values: Iterable[ShownValue]) -> Iterator[Section]:
    """A section for the fields of the class itself, and one for those of each superclass."""
    groups: dict[str | None, list[ShownValue]] = {}
    for value in values:
        groups.setdefault(value.declared_by, []).append(value)
    for place, (declared_by, members) in enumerate(groups.items()):
        title = own if declared_by is None else inherited.filled({"declared_by": declared_by})
        rows = [(value.name, value_text(value)) for value in members]
        yield Section(name=f"{name}-{place}", title=title, parts=(Pairs(rows, java=True),))


def value_text(value: ShownValue) -> Value:
    """A value in a line: 42, "text", RUNNING (some.Enum), some.Class 0xe0001234, 12 entries."""
    if value.object_id is None:
        if value.type == "reference":
            return "null"
        return say("'{value}'", value=value.value) if isinstance(value.value, str) else value.value
    if isinstance(value.value, str) and value.class_name == _STRING:
        return _string(value.value, value.length)
    if value.class_name == _CLASS:
        return say("{name} {object_id}", name=value.value, object_id=value.object_id)
    name = value.class_name
    if name is not None and name.endswith("[]") and value.length is not None:
        return say("{element}[{length}] {object_id}", value, element=name.removesuffix("[]"))
    if value.value is not None:
        # Everybody knows the package of the JDK's boxes.
        short = name.rsplit(".", 1)[-1] if name is not None and name.startswith("java.") else name
        return say("{value} ({name})", value=value.value, name=short)
    if value.length is None:
        return say("{name} {object_id}", name=name, object_id=value.object_id)
    return say("{name} {object_id}, {length:count} {length:entry|entries}", value, name=name)


def _string(text: str, length: int | None) -> Text:
    # Escaped before it is quoted: a text must not look like its own end.
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    if length is None or length <= len(text):
        return say('"{text}"', text=quoted)
    return say('"{text}" ({length:count})', text=quoted, length=length)


def _elements(one: ShownObject) -> Section:
    title = say("Elements") if len(one.elements) == one.length else say("First elements")
    values = [value_text(value) for value in one.elements]
    part: AnyPart
    if one.elements[0].type == "reference":
        part = Pairs([(say("[{at}]", at=at), value) for at, value in enumerate(values)], java=True)
    else:
        part = Paragraph(say("{values}", values=tuple(values)))
    return Section(name="elements", title=title, parts=(part,))


def _entries(one: ShownObject) -> Section:
    title = say("Entries: {entry_count:count}", entry_count=one.entry_count)
    if one.entries:
        title = say("Entries: {entry_count:count}, the first ones", entry_count=one.entry_count)
    table = TABLES.table(
        "entries",
        rows=[
            (None if entry.key is None else value_text(entry.key), value_text(entry.value))
            for entry in one.entries
        ],
        shown=(_ALL, _ALL),
    )
    return Section(name="entries", title=title, parts=(table,) if one.entries else (Paragraph(say("none")),))


def _dominators(one: ShownObject) -> Section:
    parts: list[AnyPart] = []
    if not one.dominators:
        parts.append(
            Paragraph(
                say("nothing but the GC roots: it is a root, or several ways lead to it that share no object")
            )
        )
    else:
        branches = [_holder(holder, "<-") for holder in one.dominators]
        left_out = one.dominator_count - len(one.dominators)
        if left_out:
            more = Branch(mark="..", text=say("{left_out:count} more", left_out=left_out))
            branches.insert(len(branches) // 2, more)
        parts.append(Tree(branches))
    return Section(name="dominators", title=say("Dominated by"), parts=parts)


def _referrers(one: ShownObject) -> Section:
    title = say("Referred to by {referrer_count:count}", referrer_count=one.referrer_count)
    if one.referrer_count > len(one.referrers):
        title = say("Referred to by {referrer_count:count}, the largest", referrer_count=one.referrer_count)
    parts = (Tree([_holder(holder, "-") for holder in one.referrers]),) if one.referrers else ()
    return Section(name="referrers", title=title, parts=parts or (Paragraph(say("nothing")),))


def _holder(holder: ShownHolder, mark: str) -> Branch:
    name: Value = holder.class_name
    if holder.class_name == _CLASS and holder.label:
        name = holder.label
    elif holder.label:
        name = say("{class_name} {label}", holder)
    # The field's own name; that of a superclass or of a class object is named in full.
    field = (holder.field or "").removeprefix(f"{holder.class_name}.")
    text = say(
        "{name} {object_id}, {retained_bytes:bytes} retained{by}",
        holder,
        name=name,
        by=say(", by {field}", field=field) if field else NOTHING,
    )
    return Branch(mark=mark, text=text, java=True)


def _class(one: ShownClass) -> Iterator[Section]:
    yield Section(name="class", title=say("{name}", name=one.name), parts=(Pairs(list(_class_summary(one))),))
    yield from _values("statics", say("Static fields"), say("Static fields of {declared_by}"), one.statics)
    if one.subclasses:
        counted = say("counted too") if one.with_subclasses else say("not counted above; --subclasses does")
        table = TABLES.table("subclasses", one.subclasses)
        title = say("Subclasses with instances ({counted})", counted=counted)
        yield Section(name="subclasses", title=title, parts=(table,))
    if one.paths:
        title = say(
            "Paths from GC roots to {instances:count} {instances:instance|instances}, the shortest, merged",
            instances=one.reachable_instances,
        )
        tree = paths_tree(one.paths, one.reachable_instances, of_referrers=False)
        yield Section(name="paths", title=title, parts=(tree,))
    if one.largest:
        parts = _largest(one)
        yield Section(name="largest", title=say("Instances by retained size"), parts=parts)


def _class_summary(one: ShownClass) -> Iterator[tuple[Words, Value]]:
    unreachable = one.instances - one.reachable_instances
    if unreachable:
        yield (
            say("instances"),
            say(
                "{instances:count}, {unreachable:count} of them unreachable",
                instances=one.instances,
                unreachable=unreachable,
            ),
        )
    else:
        yield say("instances"), say("{instances:count}", instances=one.instances)
    yield from TABLES.pairs("class", one)
    if one.class_ids:
        ids = one.class_ids[:5]
        yield (
            say("class object"),
            say("{ids}, {loaders:count} loaders", ids=ids, loaders=one.loaders) if one.loaders > 1 else ids,
        )


def _largest(one: ShownClass) -> Sequence[AnyPart]:
    table = TABLES.table(
        "largest",
        one.largest,
        shown=(_ALL, _ALL),
        retained=lambda one: one.retained_bytes if one.reachable else say("unreachable"),
        share=lambda row: ratio(row.retained_bytes, one.retained_bytes) if row.reachable else NO_VALUE,
        content=_content,
    )
    hidden = one.instances - len(one.largest)
    return (table, Paragraph(say("and {hidden:count} more", hidden=hidden))) if hidden > 0 else (table,)


def _content(row: ShownInstance) -> Value:
    if row.label:
        return row.label
    return "" if row.length is None else say("[{length:count}]", length=row.length)
