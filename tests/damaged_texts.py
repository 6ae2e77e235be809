"""What pages, consoles, collectors and tools do to a text, one way each, for tests that want it undone."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from collections.abc import Callable

Damage = Callable[[str], str]
POD = "orders-6c9d7b54f8-qx7lm"
MOMENT = "2026-11-21T20:00:{second:02}.{number:09}Z"


def _each(change: Callable[[int, str], str]) -> Damage:
    """The same done to each line."""

    def damage(text: str) -> str:
        lines = text.removesuffix("\n").split("\n")
        return "".join(change(number, line) + "\n" for number, line in enumerate(lines, 1))

    return damage


def _moment(number: int) -> str:
    return MOMENT.format(second=number % 60, number=number)


def _record(make: Callable[[int, str], object]) -> Damage:
    return _each(lambda number, line: json.dumps(make(number, line), ensure_ascii=False))


def wrapped(width: int) -> Damage:
    """Lines cut at the width of a terminal."""

    def damage(text: str) -> str:
        lines = text.expandtabs(8).split("\n")
        return "\n".join(line[at : at + width] for line in lines for at in range(0, len(line) or 1, width))

    return damage


def _table(text: str) -> str:
    out = io.StringIO()
    rows = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
    rows.writerow(["@timestamp", "host", "message"])
    rows.writerows(["Nov 21, 2026 @ 20:00:01.000", POD, line] for line in text.removesuffix("\n").split("\n"))
    return out.getvalue()


CHARACTERS: dict[str, Damage] = {
    "no-break blanks": lambda text: text.replace(" ", "\u00a0"),
    "narrow no-break blanks": lambda text: text.replace(" ", "\u202f"),
    "no-break indentation": lambda text: re.sub(r"(?m)^[ \t]+", "\u00a0\u00a0\u00a0\u00a0", text),
    "zero-width blanks": _each(lambda _, line: "\u200b" + line),
    "colours": _each(lambda _, line: f"\x1b[32m{line}\x1b[0m"),
}
LINES: dict[str, Damage] = {
    "doubled blank lines": lambda text: text.replace("\n", "\n\n"),
    "carriage returns": lambda text: text.replace("\n", "\r\n"),
    "carriage returns alone": lambda text: text.replace("\n", "\r"),
    "quotation": _each(lambda _, line: "> " + line),
    "fence": lambda text: f"It hangs since noon:\n\n```text\n{text}```\nAny idea?\n",
    "jira": lambda text: f"{{code:java}}\n{text}{{code}}\n",
    "noformat": lambda text: f"{{noformat}}\n{text}{{noformat}}\n",
    "page": lambda text: f"<pre>{html.escape(text)}</pre>\n",
}
WRAPPERS: dict[str, Damage] = {
    "kubectl --prefix": _each(lambda _, line: f"[pod/{POD}/app] {line}"),
    "kubectl --prefix --timestamps": _each(lambda number, line: f"[pod/{POD}/app] {_moment(number)} {line}"),
    "stern": _each(lambda _, line: f"{POD} app {line}"),
    "pdsh": _each(lambda _, line: f"mq-7.prod: {line}"),
    "ansible": _each(lambda _, line: f"[mq-7] {line}"),
    "compose": _each(lambda _, line: f"orders-1  | {line}"),
    "compose with colours": _each(lambda _, line: f"\x1b[36morders-1  |\x1b[0m {line}"),
    "syslog": _each(lambda _, line: f"Nov 21 20:00:01 mq-7 java[3121]: {line}"),
    "syslog with ISO time": _each(lambda number, line: f"{_moment(number)} mq-7 java[3121]: {line}"),
    "containerd": _each(lambda number, line: f"{_moment(number)} stdout F {line}"),
    "docker": _record(lambda number, line: {"log": line + "\n", "stream": "stdout", "time": _moment(number)}),
    "journald": _record(lambda number, line: {"__REALTIME_TIMESTAMP": str(number), "MESSAGE": line}),
    "Elasticsearch": _record(
        lambda number, line: {"_source": {"@timestamp": _moment(number), "message": line}}
    ),
    "Alibaba SLS": _record(lambda number, line: {"__time__": str(number), "__topic__": "", "content": line}),
    "one record": lambda text: json.dumps({"level": "ERROR", "message": text}) + "\n",
    "table": _table,
    "grep -n": _each(lambda number, line: f"logs/app.log:{number + 1200}:{line}"),
    "grep -n of one file": _each(lambda number, line: f"{number + 1200}:{line}"),
    "cat -n": _each(lambda number, line: f"{number:6}\t{line}"),
    "quoted kubectl": _each(lambda _, line: f"> [pod/{POD}/app] {line}"),
}
WIDTHS = (80, 100, 120)
DAMAGES: dict[str, Damage] = {
    **CHARACTERS,
    **LINES,
    **WRAPPERS,
    **{f"{width} columns": wrapped(width) for width in WIDTHS},
}
