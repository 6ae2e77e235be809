"""Reports on an emulated terminal: nothing in the evidence moves the cursor, sets a title or a colour, or erases."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec
import pyte
import pytest
from rich.cells import cell_len

from mqdiag.config import Settings
from mqdiag.diagnose.heap import diagnose_heap
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.findings import Report
from mqdiag.fleet.verdict import fleet_verdict
from mqdiag.render import View, renderer
from mqdiag.text import Text
from tests.fleet.test_report import FLEET
from tests.layers import NIGHTLY, one_in_each_run

FIXTURES = Path(__file__).parents[2] / "fixtures"
CONTROLS = (
    "\x1b[2J\x1b[H",  # erases the screen
    "\x1b]0;owned\x07",  # the title
    "\x9b31m\x1b[41m",  # colours, by a C1 control too
    "\x1b[5A\x1b[10D",  # the cursor
    "\x1bP$q\x1b\\\x1b[6n",  # asks the terminal, which would type the answer
    "\x1b[?1049h\x1bc",  # another screen, reset
    "a\rb\x08\x08\x0b\x0c\x7f",
    "\x1b(0qqq",  # line drawing
)
WIDTH = 380
_OURS = re.compile(r"\x1b\[[0-9;]*m")
_PARSED = re.compile(r"0x[0-9a-f]+$|[\d.:TZ+-]+$|$")
"""values that are read again on their way to the screen: ids, times"""


def injected(value: Any, hint: Any, hostile: str) -> Any:
    """A part of a report with a hostile ending on every text that comes from evidence."""
    if isinstance(value, Text):
        return Text(value.template, {name: injected(one, str, hostile) for name, one in value.values.items()})
    if isinstance(value, msgspec.Struct):
        hints = get_type_hints(type(value), include_extras=False)
        fields = {
            name: injected(getattr(value, name), hints[name], hostile) for name in value.__struct_fields__
        }
        return msgspec.structs.replace(value, **fields)
    inner = [one for one in get_args(hint) if one is not Ellipsis]
    if isinstance(value, tuple):
        return tuple(injected(one, inner[0] if inner else str, hostile) for one in value)
    if isinstance(value, dict):
        return {key: injected(one, inner[-1] if inner else str, hostile) for key, one in value.items()}
    if isinstance(value, str) and type(value) is str and _is_free(hint) and not _PARSED.match(value):
        return value + hostile
    return value


def _is_free(hint: Any) -> bool:
    """Any text fits the field: it is no list of words."""
    if get_origin(hint) is Literal:
        return False
    return hint is str or hint is Any or any(_is_free(one) for one in get_args(hint))


REPORTS = ("heap", "logs", "incident", "fleet")


@cache
def reports() -> dict[str, Report]:
    heap = diagnose_heap(FIXTURES / "heap" / "stuck-one-4.9.8" / "dump.hprof.gz").report
    logs = sorted((FIXTURES / "logs" / "faulty-4.9.7").rglob("*.log*"))
    return {
        "heap": heap,
        "logs": diagnose_logs(logs).report,
        "incident": diagnose_incident(
            [FIXTURES / "stacks" / "jedis-stuck", FIXTURES / "admin" / "4.3.2"]
        ).report,
        "fleet": fleet_verdict(FLEET, (), (), Settings()).report,
    }


def check_screen(written: str) -> None:
    """What the terminal shows is what was written, line for line, in no colour but ours."""
    plain = _OURS.sub("", written)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", plain)
    lines = plain.split("\n")
    screen = pyte.Screen(max(map(cell_len, lines)) + 2, len(lines) + 1)
    answers: list[str] = []
    screen.write_process_input = answers.append  # type: ignore[method-assign]
    pyte.Stream(screen).feed(written.replace("\n", "\r\n"))
    assert (screen.title, screen.icon_name, answers) == ("", "", [])
    assert (screen.cursor.x, screen.cursor.y) == (0, len(lines) - 1)
    assert screen.mode == pyte.Screen(80, 2).mode
    for line, shown in zip(lines, screen.display, strict=False):
        assert shown.rstrip() == line.rstrip()


@NIGHTLY
@pytest.mark.parametrize("hostile", CONTROLS)
@pytest.mark.parametrize("name", REPORTS)
def test_no_field_of_a_report_controls_the_terminal_by_one_control(name: str, hostile: str) -> None:
    check(name, hostile)


@one_in_each_run(4)
@pytest.mark.parametrize("name", REPORTS)
def test_no_field_of_a_report_controls_the_terminal(name: str) -> None:
    check(name, "".join(CONTROLS))


def check(name: str, hostile: str) -> None:
    """Every text of a report ends with the controls, and none has an effect."""
    report = reports()[name]
    view = View(detail="full", all_threads=True, colour=True, width=WIDTH)
    ours = set(_OURS.findall(renderer("text")(report, view)))
    written = renderer("text")(injected(report, Report, hostile), view)
    assert written.count("x1b") + written.count("x9b") + written.count("\\r") > 10, "nothing was injected"
    assert set(_OURS.findall(written)) <= ours
    check_screen(written)


def test_the_emulator_sees_what_a_control_does() -> None:
    for hostile in CONTROLS:
        with pytest.raises(AssertionError):
            check_screen(f"one\ntwo{hostile}\nthree\n")
