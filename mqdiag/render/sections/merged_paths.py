"""Merged shortest paths from GC roots, as a tree."""

from __future__ import annotations

from collections.abc import Sequence

from mqdiag.facts.ratios import ratio
from mqdiag.facts.shown import PathStep
from mqdiag.render.parts import Branch, Tree
from mqdiag.text import Text, Value, quantity, say


def paths_tree(paths: Sequence[PathStep], total: int, *, of_referrers: bool) -> Tree:
    """The tree.

    Args:
        paths: steps from the roots.
        total: number of objects that paths were looked for.
        of_referrers: they are the referrers of one object; False for instances of a class.
    """
    return Tree(_Paths(paths, of_referrers=of_referrers).branches(paths, _rest(paths, total), 0))


def _rest(paths: Sequence[PathStep], total: int) -> int:
    return total - sum(step.instances for step in paths)


class _Paths:
    def __init__(self, paths: Sequence[PathStep], *, of_referrers: bool) -> None:
        self._noun = (
            say("{number:count} {number:referrer|referrers}")
            if of_referrers
            else say("{number:count} {number:instance|instances}")
        )
        self._instances = sum(step.instances for step in paths)
        self._bytes = sum(step.retained_bytes for step in paths)

    def branches(self, steps: Sequence[PathStep], more_instances: int, more_steps: int) -> list[Branch]:
        """The steps from one place, each with its share, and how many objects are behind smaller steps."""
        found = [self._branch(step, split=True) for step in steps]
        if more_instances > 0:
            found.append(self._more(more_instances, more_steps))
        return found

    def _branch(self, step: PathStep, *, split: bool) -> Branch:
        single = len(step.below) == 1 and not step.more_steps and not step.ends
        below = (
            [self._branch(step.below[0], split=False)]
            if single
            else self.branches(step.below, step.more_instances, step.more_steps)
        )
        if step.ends and step.below:
            here = say("{objects} here, and below", objects=self._named(step.ends))
            below.insert(0, Branch(mark="=", text=here))
        text = self._words(step, split=split)
        return Branch(mark=self._share(step) if split else "->", text=text, java=True, below=below)

    def _more(self, instances: int, steps: int) -> Branch:
        if not steps:
            return Branch(mark="..", text=say("and {objects} on smaller paths", objects=self._named(instances)))
        return Branch(
            mark="..",
            text=say(
                "and {objects} on {steps:count} smaller {steps:path|paths}",
                objects=self._named(instances),
                steps=steps,
            ),
        )

    def _share(self, step: PathStep) -> Text:
        share = (
            ratio(step.retained_bytes, self._bytes) if self._bytes else ratio(step.instances, self._instances)
        )
        return quantity(share, "percent")

    def _named(self, number: int) -> Text:
        return self._noun.filled({"number": number})

    def _words(self, step: PathStep, *, split: bool) -> Text:
        """The kind of root and its object, or the field and what it leads to; with counts where paths part."""
        how = step.root if step.root is not None else _field(step.field)
        counts: list[Value] = []
        if step.objects > 1:
            counts.append(say("{objects:count} objects", objects=step.objects))
        if split and self._instances > 1:
            counts.append(self._named(step.instances))
            if self._bytes:
                counts.append(quantity(step.retained_bytes, "bytes"))
        if not counts:
            return say("{how}: {name}", how=how, name=_name(step))
        return say("{how}: {name} ({counts})", how=how, name=_name(step), counts=tuple(counts))


def _name(step: PathStep) -> Value:
    """The label alone where it begins with the class: "class a.B" and "byte[65536]"."""
    if step.label is None:
        return step.class_name
    if step.label.startswith(step.class_name.removesuffix("[]")):
        return step.label
    return say("{class_name} {label}", step)


def _field(field: str) -> str:
    """The field without its class, which is the one of the line above."""
    return field.rsplit(", ", 1)[1] if ", " in field else field.rsplit(".", 1)[-1]
