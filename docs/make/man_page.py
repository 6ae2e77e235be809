"""docs/man/mqdiag.1, from the help texts of the commands themselves; the wheel puts it into share/man."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator

import click

from mqdiag import __version__
from mqdiag.cli import mqdiag
from mqdiag.cli.common.options import GATE, HEAP, REPORT, Bundle, options_of


def _bundle(bundle: Bundle) -> list[click.Parameter]:
    """The options that a bundle adds to a command."""
    return click.command(options_of(bundle)(lambda **given: 0)).params


BUNDLES = {
    "Options of the report": _bundle(REPORT),
    "Options of the gate": _bundle(GATE),
    "Options about the heap": _bundle(HEAP),
}
"""options that several commands take, by heading"""
END = """\
.SH FILES
.TP
.I mqdiag.toml
settings, expectations, limits of rules, exceptions; the nearest one here or in a folder above
.SH ENVIRONMENT
.TP
.B MQDIAG_KERNELS
folder for the compiled kernels; no other user may be able to write to it
.TP
.B MQDIAG_KERNEL_MODE
.B numba
lets numba run the kernels, to debug them; each run takes longer
.TP
.BR MQDIAG_MOST_CPU_S ", " MQDIAG_MOST_MEMORY
seconds of CPU time and memory (512m, 4g) after which a run stops reading; 0 is no limit
.TP
.B NO_COLOR
no colour
.SH SEE ALSO
.BR jcmd (1),
.BR jstack (1)
"""


def man_page() -> str:
    """The page."""
    context = click.Context(mqdiag, info_name="mqdiag")
    commands = [(name, mqdiag.get_command(context, name)) for name in mqdiag.list_commands(context)]
    short = inspect.cleandoc(mqdiag.help or "").splitlines()[0].rstrip(".")
    parts = [
        f'.\\" Made from the commands\' own help by "make docs".\n'
        f'.TH MQDIAG 1 "" "mqdiag {__version__}" "User Commands"\n'
        f".SH NAME\nmqdiag \\- {_line(short[0].lower() + short[1:])}\n"
        ".SH SYNOPSIS\n.B mqdiag\n.I COMMAND\n[\\fIOPTION\\fR]... [\\fIFILE\\fR]...",
        ".SH DESCRIPTION",
        *_paragraphs(mqdiag.help or ""),
        *_paragraphs(mqdiag.epilog or ""),
        ".SH COMMANDS",
    ]
    for name, command in commands:
        if command is not None:
            parts += _command(name, command, context)
    parts.append(".SH COMMON OPTIONS")
    for title, bundle in BUNDLES.items():
        having = [name for name, command in commands if command is not None and _has(command, bundle)]
        parts.append(f".SS {title}\nOf the commands {', '.join(having)}.")
        parts += _options(bundle, context)
    return "\n".join(parts) + "\n" + END


def _command(name: str, command: click.Command, parent: click.Context) -> Iterator[str]:
    context = click.Context(command, info_name=name, parent=parent)
    usage = " ".join(command.collect_usage_pieces(context))
    yield f".SS mqdiag {_line(name)} {_line(usage)}"
    yield from _paragraphs(command.help or "")
    shared = {option.name for bundle in BUNDLES.values() if _has(command, bundle) for option in bundle}
    yield from _options([option for option in command.params if option.name not in shared], context)
    yield from _paragraphs(command.examples)


def _options(options: Iterable[click.Parameter], context: click.Context) -> Iterator[str]:
    for option in options:
        record = option.get_help_record(context)
        if record is not None and isinstance(option, click.Option):
            yield f".TP\n.B {_line(record[0])}\n{_line(record[1])}"


def _has(command: click.Command, bundle: list[click.Parameter]) -> bool:
    """Whether the command takes all options of the bundle."""
    return {option.name for option in bundle} <= {option.name for option in command.params}


def _paragraphs(text: str) -> Iterator[str]:
    """Click's paragraphs; those behind its mark are shown line by line."""
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        lines = paragraph.splitlines()
        if lines[0] == "\b":
            yield ".PP\n.nf\n" + "\n".join(map(_line, lines[1:])) + "\n.fi"
        else:
            yield ".PP\n" + _line(" ".join(line.strip() for line in lines))


def _line(text: str) -> str:
    """Text that roff takes as text."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("~", "\\(ti").replace("^", "\\(ha")
    return re.sub(r"^(?=[.'])", r"\\&", escaped.replace("'", "\\(aq").replace("`", "\\(ga"))
