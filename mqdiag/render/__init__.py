"""A report as text: `sections` makes neutral `parts` of it, and each other module of this package is an output format.

To add a format, add a file with a function `render(report, view) -> str` and its `SYNTAX`; nothing is listed anywhere.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Literal, get_args

import msgspec

from mqdiag.fail_on import FailOn
from mqdiag.language import ENGLISH, Writer, writer
from mqdiag.render.wording.ci_commands import Syntax, without_commands

if TYPE_CHECKING:
    from mqdiag.findings import Report

SHARED = frozenset(("figures", "parts", "sections", "tables", "wording"))
"""what formats are made of"""
Detail = Literal["brief", "normal", "full"]
DETAILS: tuple[Detail, ...] = get_args(Detail)
UNWRAPPED = 1 << 20
"""the width of text whose lines are never broken: what programs read and people search"""
TABLES = ("findings", "inputs", "skipped", "consumers", "queues", "classes", "suspects", "threads")
"""what `--format csv` can write, one at a time"""


class View(msgspec.Struct, frozen=True, kw_only=True):
    """What a renderer may assume about where its text goes."""

    language: str = ENGLISH
    """language of the reader"""
    width: int = 80
    """cells of a line of text; UNWRAPPED for lines of any length"""
    colour: bool = False
    all_threads: bool = False
    """show every thread, not only those that matter"""
    fail_on: FailOn = msgspec.field(default_factory=FailOn)
    """what fails the run"""
    table: str = TABLES[0]
    """the one that csv writes"""
    detail: Detail = "normal"
    """how much text says; brief: the answer alone; full: all that the page has"""
    why: bool = False
    """list the rules that were not checked, each with its reason"""
    command: tuple[str, ...] = ()
    """words of the command line that made the report; empty where a program made it"""
    with_services: bool = False
    """the page of a fleet has those of its services in a folder beside it, and each of these leads back to it"""

    @property
    def wide(self) -> bool:
        """Whether columns, rows and parts of the wide form are written."""
        return self.detail == "full"

    @property
    def write(self) -> Writer:
        """Turns texts into strings of the reader's language."""
        return writer(self.language)


@cache
def formats() -> tuple[str, ...]:
    """The names of all formats; the one for a person first."""
    names = {name.partition(".")[0] for name in os.listdir(os.path.dirname(__file__))}
    found = {name for name in names if name[:1].isalpha()} - SHARED
    return tuple(sorted(found, key=lambda name: (name != "text", name)))


def renderer(name: str) -> Callable[[Report, View], str]:
    """Import a format's function; what it returns holds no command of a CI system but those of its own."""
    module = importlib.import_module(f"{__name__}.{name}")
    render: Callable[[Report, View], str] = module.render
    syntax: Syntax = module.SYNTAX
    return lambda report, view: without_commands(render(report, view), syntax)
