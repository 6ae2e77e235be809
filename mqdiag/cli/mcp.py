"""`mqdiag mcp`: the questions of the command line for assistants."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from mqdiag.cli.common import commands
from mqdiag.cli.common.cache_options import CACHE, cache_bytes
from mqdiag.cli.common.completion import complete_files
from mqdiag.cli.common.language import reader_language
from mqdiag.cli.common.options import (
    CONFIG_OPTION,
    DEBUG_OPTION,
    KNOWLEDGE_OPTION,
    MESSAGE_LANG_OPTION,
    with_options,
)
from mqdiag.cli.common.progress import NotesOnly
from mqdiag.errors import UsageError
from mqdiag.language import writer

if TYPE_CHECKING:
    from mqdiag.config import Settings
    from mqdiag.progress import Progress


@commands.command("mcp", short_help="Serve the same questions to an assistant (MCP).")
@commands.argument("folders", nargs=-1, required=True, metavar="FOLDER...", shell_complete=complete_files)
@commands.option(
    "--no-redact", is_flag=True, help="Tell texts, keys and addresses too, which reports hide by --redact."
)
@CONFIG_OPTION
@KNOWLEDGE_OPTION
@with_options(CACHE)
@MESSAGE_LANG_OPTION
@DEBUG_OPTION
def command(
    folders: tuple[str, ...],
    no_redact: bool,
    config: Path | None,
    knowledge: tuple[str, ...],
    no_cache: bool,
    cache_size: str | None,
    debug: bool,
) -> int:
    """Answer diagnose, heap, stacks, logs, show, query and rules over the Model Context Protocol.

    The protocol takes standard input and output; messages go to standard error. Files are read only below FOLDER...,
    after links were followed, and nothing is written. Reports are redacted unless --no-redact is given. Settings and
    limits of mqdiag.toml hold for every diagnosis.
    """
    if find_spec("mcp") is None:
        from mqdiag.extras import how_to_add

        raise UsageError(how_to_add("mcp", ("mcp",)))
    from mqdiag.cli.common.session import configuration, team_of
    from mqdiag.config import resolve
    from mqdiag.mcp.folders import Folders
    from mqdiag.mcp.questions import Questions
    from mqdiag.mcp.server import made_server
    from mqdiag.mcp.standard_input import requests

    kept = cache_bytes(no_cache, cache_size)
    file, source, cards = configuration(config)
    team = team_of(knowledge, file, source, was_found=config is None)

    def settings_of(expect: Sequence[str] = (), heap_limit: str | None = None) -> Settings:
        return resolve(file, source, cards, expect=expect, heap_limit=heap_limit, cache_bytes=kept, team=team)

    settings_of()  # refuses a wrong file now, and not at the first question
    questions = Questions(
        Folders(folders), redact=not no_redact, cache_bytes=kept, watch=_watch, settings_of=settings_of
    )
    server = made_server(questions)
    with requests():
        server.run()
    return 0


@contextmanager
def _watch(paths: Sequence[str], *, more_cpu_s: float = 0.0, more_memory_bytes: int = 0) -> Iterator[Progress]:
    """The budget of a run over some files, as every command has it; notes go to standard error."""
    from mqdiag.cli.common.watchdog import watched

    notes = NotesOnly(writer(reader_language()))
    with watched(notes, paths, more_cpu_s=more_cpu_s, more_memory_bytes=more_memory_bytes) as progress:
        yield progress
