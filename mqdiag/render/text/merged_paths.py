"""Merged shortest paths from GC roots: a tree that indents only where the ways part."""

from __future__ import annotations

from collections.abc import Sequence

from mqdiag.facts.shown import PathStep
from mqdiag.render.text.page import Page
from mqdiag.render.wording.class_names import fit
from mqdiag.render.wording.sizes import number, share, size
from mqdiag.text import say

DEEPEST_INDENT = 24
"""further branches stay there: a line needs room for a class name"""
BRANCH_INDENT = 2
MARK_WIDTH = 5


def show_paths(page: Page, paths: Sequence[PathStep], total: int, what: str) -> None:
    """The tree.

    Args:
        page: where to write.
        paths: steps from the roots.
        total: how many objects there were to find ways to.
        what: what they are called: "instance", "referrer".
    """
    _Tree(page, paths, what).branches(paths, 2, _Rest(total - sum(step.instances for step in paths), 0))


class _Rest:
    """What is not told at one place of the tree."""

    def __init__(self, instances: int, steps: int) -> None:
        self.instances = instances
        self.steps = steps


class _Tree:
    def __init__(self, page: Page, paths: Sequence[PathStep], what: str) -> None:
        self._page = page
        self._what = what
        self._instances = sum(step.instances for step in paths)
        self._bytes = sum(step.retained_bytes for step in paths)

    def branches(self, steps: Sequence[PathStep], indent: int, rest: _Rest) -> None:
        """Several ways from one place, each with its share."""
        room = self._page.view.width - indent - MARK_WIDTH - 1
        for step in steps:
            text = _words(step, room, self._count(step))
            self._page.hanging(f"{self._share(step):>{MARK_WIDTH}}", text, indent=indent)
            self._follow(step, indent + MARK_WIDTH + 1)
        if rest.instances > 0:
            ways = {0: say("smaller ways"), 1: say("a smaller way")}.get(
                rest.steps, say("{steps:count} smaller ways", steps=rest.steps)
            )
            self._page.hanging(
                " " * MARK_WIDTH,
                say("and {named} on {ways}", named=self._named(rest.instances), ways=ways),
                indent=indent,
            )

    def _follow(self, step: PathStep, indent: int) -> None:
        """The steps below one: a single way stays where it is, several are indented."""
        while len(step.below) == 1 and not step.more_steps and not step.ends:
            step = step.below[0]
            self._page.hanging("->", _words(step, self._page.view.width - indent - 3), indent=indent)
        if step.ends and step.below:
            self._page.hanging("=", say("{named} here, and below", named=self._named(step.ends)), indent=indent)
        if step.below or step.more_steps:
            deeper = min(indent + BRANCH_INDENT - MARK_WIDTH - 1, DEEPEST_INDENT)
            self.branches(step.below, deeper, _Rest(step.more_instances, step.more_steps))

    def _share(self, step: PathStep) -> str:
        if self._bytes:
            return share(step.retained_bytes, self._bytes)
        return share(step.instances, self._instances)

    def _count(self, step: PathStep) -> list[str]:
        if self._instances < 2:
            return []
        return [self._named(step.instances), *([size(step.retained_bytes)] if self._bytes else [])]

    def _named(self, count: int) -> str:
        return f"{number(count)} {self._what}" + ("" if count == 1 else "s")


def _words(step: PathStep, room: int, counts: Sequence[str] = ()) -> str:
    """One step: the kind of root and its object, or the field and what it leads to, cut to the room."""
    how = f"{step.root}: " if step.root is not None else f"{_short(step.field)}: "
    name = step.class_name if step.label is None else _labelled(step)
    if step.objects > 1:
        counts = [say("{objects:count} objects", objects=step.objects), *counts]
    tail = f" ({', '.join(counts)})" if counts else ""
    return f"{how}{fit(name, room - len(how) - len(tail))}{tail}"


def _labelled(step: PathStep) -> str:
    """The label alone where it begins with the class: "class a.B" and "byte[65536]"."""
    label = step.label or ""
    return label if label.startswith(step.class_name.removesuffix("[]")) else f"{step.class_name} {label}"


def _short(field: str) -> str:
    """The field without its class, which is the one of the line above."""
    return field.rsplit(", ", 1)[1] if ", " in field else field.rsplit(".", 1)[-1]
