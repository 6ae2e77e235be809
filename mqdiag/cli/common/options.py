"""The options that several commands have, declared once, in three bundles."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import msgspec

from mqdiag.cli.common import commands
from mqdiag.cli.common.completion import complete_fail_on, complete_files, complete_folders
from mqdiag.errors import UsageError
from mqdiag.fail_on import WORDS
from mqdiag.language import LANGUAGES
from mqdiag.render import DETAILS, TABLES, Detail, formats
from mqdiag.text import say


class CommonOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The common options as given; `session.load_settings` puts them over the configuration file."""

    format: str | None = None
    table: str | None = None
    output: str = "-"
    open: bool = False
    detail: Detail = "normal"
    why: bool = False
    width: int | None = None
    also: tuple[str, ...] = ()
    fail_on: str | None = None
    expect: tuple[str, ...] = ()
    config: Path | None = None
    knowledge: tuple[str, ...] = ()
    baseline: str | None = None
    write_baseline: str | None = None
    heap_limit: str | None = None
    no_cache: bool = False
    cache_size: str | None = None
    lang: str | None = None
    no_color: bool = False
    redact: bool = False
    debug: bool = False

    @property
    def format_name(self) -> str:
        """The format as asked for, else the one that the name of the output file ends with, else text."""
        return self.format or _format_of(Path(self.output).suffix[1:].lower()) or "text"

    def check_ending(self) -> None:
        """Refuse an output file whose ending is that of no format, unless the format is named.

        Raises:
            UsageError: the ending is unknown.
        """
        ending = Path(self.output).suffix[1:].lower()
        if self.format is None and ending and _format_of(ending) is None and not _is_device(self.output):
            raise UsageError(
                say(
                    "--output {path}: {ending} is the ending of no format; known endings are {known},"
                    " or name the format with --format",
                    path=self.output,
                    ending=f".{ending}",
                    known=tuple(f".{name}" for name in sorted((*_ENDINGS, *_SAME_AS_FORMAT))),
                )
            )


_ENDINGS = {
    "md": "markdown",
    "xml": "junit",
    "txt": "text",
    "log": "text",
    "out": "text",
    "prom": "openmetrics",
}
"""endings of file names that are not the names of their formats"""
_SAME_AS_FORMAT = ("csv", "html", "json", "sarif")


def _format_of(ending: str) -> str | None:
    return ending if ending and ending in formats() else _ENDINGS.get(ending)


def _is_device(name: str) -> bool:
    """Whether the name is a pipe's or a device's: a process substitution has a number for an ending."""
    return name.startswith("/dev/")


LANG_OPTION = commands.option(
    "--lang",
    type=click.Choice(LANGUAGES),
    help="Language of the report.  [default: the locale's for text, html and markdown, else en]",
)
MESSAGE_LANG_OPTION = commands.option(
    "--lang",
    type=click.Choice(LANGUAGES),
    expose_value=False,  # `language_of_arguments` reads it before the command line is parsed
    help="Language of the messages.  [default: the locale's]",
)
"""option of commands that write no report"""
NO_COLOR_OPTION = commands.option(
    "--no-color", is_flag=True, help="No colour; also with NO_COLOR set or when piped."
)


def output_option(words: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """The option `--output`, with what is written and any more in its help."""
    return commands.option(
        "-o", "--output", metavar="FILE", default="-", shell_complete=complete_files, help=words
    )


DEBUG_OPTION = commands.option("--debug", is_flag=True, help="Show the traceback of an internal fault.")
SMALL_REPORT = (
    commands.option(
        "--format",
        "shape",
        type=click.Choice(("text", "json")),
        default="text",
        show_default=True,
        help="How the report is written.",
    ),
    output_option("Write the report to FILE, whole or not at all; - is standard output."),
    NO_COLOR_OPTION,
)
"""how a report without findings is written, and where to: arguments `shape`, `output` and `no_color`"""


def _processors() -> int:
    from mqdiag.workers import usable_processors

    return usable_processors()


MOST_JOBS = 256
JOBS_OPTION = commands.option(
    "--jobs",
    type=click.IntRange(1, MOST_JOBS),
    metavar="N",
    default=_processors,
    help="Read large files in up to N processes at once; 1 reads one file after the other.  [default: the number of"
    " processors that mqdiag may use]",
)
REPORT = (
    commands.option(
        "--format",
        type=click.Choice(formats()),
        help="How the report is written.  [default: by the ending of --output FILE, else text]",
    ),
    commands.option(
        "--table",
        type=click.Choice(TABLES),
        help="With --format csv: which table is written.  [default: findings]",
    ),
    output_option(
        "Write the report to FILE, whole or not at all; - is standard output. The ending chooses the format:"
        " .html, .json, .md, .csv, .sarif, .xml."
    ),
    commands.option(
        "--also",
        multiple=True,
        metavar="FORMAT=FILE",
        help="Write the report in another format too, such as junit=build/mqdiag.xml. Repeatable.",
    ),
    commands.option(
        "--open",
        is_flag=True,
        help="Open the HTML report in the browser: the one of --output or --also, else a new file in a temporary"
        " folder.",
    ),
    commands.option(
        "--detail",
        type=click.Choice(DETAILS),
        default="normal",
        show_default=True,
        help=(
            "Detail of the text: brief, the answer and the first action; full, the tables of all evidence too."
        ),
    ),
    commands.option("--why", is_flag=True, help="List the rules that were not checked, each with its reason."),
    commands.option(
        "--width",
        type=click.IntRange(40, 1000),
        metavar="COLUMNS",
        help="Width of text.  [default: COLUMNS, else the terminal's up to 120; a pipe or a file has lines of any"
        " length]",
    ),
    LANG_OPTION,
    NO_COLOR_OPTION,
    commands.option(
        "--redact",
        is_flag=True,
        help="Hide what may be personal: message keys and ids, texts, addresses, names of the application's threads,"
        " the host of a process. Paths stay as you name them: begin in the folder of the evidence.",
    ),
    DEBUG_OPTION,
)
"""how the report is written, and where to"""
CONFIG_OPTION = commands.option(
    "--config",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Configuration file.  [default: mqdiag.toml here or in a folder above]",
)
KNOWLEDGE_OPTION = commands.option(
    "--knowledge",
    multiple=True,
    metavar="DIR",
    shell_complete=complete_folders,
    help="What your team knows of its own libraries, log statements and faults, besides the folders of mqdiag.toml;"
    " see mqdiag knowledge check. Repeatable.",
)
GATE = (
    commands.option(
        "--fail-on",
        metavar="|".join(WORDS),
        shell_complete=complete_fail_on,
        help="Exit with 1 if there is a finding of this severity or a worse one; with undecided, if mqdiag could not"
        " decide between fault and healthy. Both: error,undecided.  [default: error]",
    ),
    CONFIG_OPTION,
    KNOWLEDGE_OPTION,
    commands.option(
        "--baseline",
        metavar="FILE",
        shell_complete=complete_files,
        help="Known findings, which do not fail the run: a baseline, or a report saved with --format json.",
    ),
    commands.option(
        "--write-baseline",
        metavar="FILE",
        shell_complete=complete_files,
        help="Write the findings of this run to FILE as a baseline, to be edited and given to --baseline.",
    ),
)
"""which findings fail the run"""
HEAP = (
    commands.option(
        "--expect",
        multiple=True,
        metavar="[GROUP:]KEY=VALUE",
        help="A setting as intended, such as pullThresholdForQueue=40; differing values are found. Repeatable.",
    ),
    commands.option(
        "--heap-limit",
        metavar="SIZE",
        help="The JVM's -Xmx, such as 512m or 2g, when the dump does not have it.",
    ),
)
"""what the user knows of a JVM whose heap is read"""
Bundle = tuple[Callable[[Callable[..., int]], Callable[..., int]], ...]


def options_of(*bundles: Bundle) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Add bundles of options to a command and hand them over as one argument `options`."""

    def added(function: Callable[..., int]) -> Callable[..., int]:
        @functools.wraps(function)
        def packed(**given: Any) -> int:
            names = [name for name in CommonOptions.__struct_fields__ if name in given]
            options = CommonOptions(**{name: given.pop(name) for name in names})
            return function(**given, options=options)

        return with_options(*bundles)(packed)

    return added


def with_options(*bundles: Bundle) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Add bundles of options to a command, each as an argument of its own."""

    def added(function: Callable[..., int]) -> Callable[..., int]:
        for option in reversed([option for bundle in bundles for option in bundle]):
            function = option(function)
        return function

    return added
