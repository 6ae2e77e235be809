"""`mqdiag redact`: a dump that can be shared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mqdiag.cli.common import commands
from mqdiag.cli.common.completion import complete_files
from mqdiag.cli.common.failures import complain
from mqdiag.cli.common.given_file import given_file
from mqdiag.cli.common.language import in_reader_language, reader_language
from mqdiag.cli.common.options import DEBUG_OPTION, MESSAGE_LANG_OPTION
from mqdiag.cli.common.progress import terminal_progress
from mqdiag.errors import EXIT_CLEAN, EXIT_FINDINGS
from mqdiag.text import say

if TYPE_CHECKING:
    from mqdiag.redact.redact_dump import Redacted


@commands.command("redact", short_help="Write a copy of a heap dump that can be shared.")
@commands.argument("dump", metavar="IN", shell_complete=complete_files)
@commands.argument("target", metavar="OUT", type=click.Path(path_type=Path))
@commands.option("--force", is_flag=True, help="Replace OUT if it is there already.")
@commands.option(
    "--digits", is_flag=True, help="Replace texts of digits too: numbers of cards, but also offsets and times."
)
@commands.option("--check", is_flag=True, help="Look for secrets in OUT; exit code 1 if one is left.")
@commands.option("--max-inflated", metavar="SIZE", help="Maximum uncompressed size of a gzip dump, e.g. 64g.")
@MESSAGE_LANG_OPTION
@DEBUG_OPTION
def command(
    dump: str, target: Path, force: bool, digits: bool, check: bool, max_inflated: str | None, debug: bool
) -> int:
    """Write OUT, a copy of the heap dump IN without the texts and contents of your application.

    Names of classes, fields, threads, groups, topics and brokers, keys of message properties and texts of digits alone
    stay; every other text becomes letters of the same length, equal ones the same letters; message bodies and all
    other arrays of numbers become zeros. So mqdiag finds in OUT what it finds in IN.

    OUT is compressed when its name ends in .gz, appears whole or not at all, and is never IN itself.
    """
    limit = None
    if max_inflated is not None:
        from mqdiag.config import parse_size

        limit = parse_size(max_inflated)
    # Here, not above: these imports take numpy with them.
    from mqdiag.cli.common.watchdog import watched
    from mqdiag.redact.redact_dump import redact_dump

    with (
        terminal_progress(reader_language()) as shown,
        watched(shown, (dump,)) as progress,
        given_file(dump) as path,
    ):
        done = redact_dump(
            path, target, force=force, digits_go=digits, progress=progress, max_inflated=limit, name=dump
        )
    _tell(dump, done)
    return _checked(target) if check else EXIT_CLEAN


def _checked(copy: Path) -> int:
    """Say what the copy still holds; the exit code."""
    from mqdiag.cli.common.watchdog import watched
    from mqdiag.diagnose.secrets import secrets_in_heap
    from mqdiag.render.wording.safe import safe

    with (
        terminal_progress(reader_language()) as shown,
        watched(shown, (str(copy),)) as progress,
    ):
        found = secrets_in_heap(copy, redacted=True, progress=progress).secrets
    groups = () if found is None else found.groups
    for group in groups:
        complain(
            say(
                "{path}: {texts:count} {texts:text|texts} of kind {kind} left, held by {held_by}, the first in {id}",
                group,
                path=str(copy),
                id=group.object_id,
            )
        )
    if not groups:
        click.echo(
            safe(in_reader_language(say("{path}: no secret of a known form", path=str(copy))), limit=None)
        )
    return EXIT_FINDINGS if groups else EXIT_CLEAN


def _tell(dump: str, done: Redacted) -> None:
    from mqdiag.render.wording.safe import safe

    summary = say(
        "{path}: {kept:count} names and numbers kept, {replaced:count} texts replaced, {bodies:count} message"
        " {bodies:body|bodies} and {arrays:count} other {arrays:array|arrays} blanked",
        path=done.path,
        kept=done.kept_texts,
        replaced=done.replaced_texts,
        bodies=done.blanked_bodies,
        arrays=done.blanked_arrays,
    )
    click.echo(safe(in_reader_language(summary), limit=None))
    if done.problem is not None:
        complain(
            say(
                "{dump} (byte {stopped_at}): {problem}; {unread_bytes:count} bytes that could not be read"
                " are zeros in the copy",
                done,
                dump=dump,
            )
        )
    if done.further_dumps:
        complain(
            say(
                "{dump}: {further_dumps:count} more {further_dumps:dump follows|dumps follow} the first and"
                " {further_dumps:is|are} not in the copy",
                dump=dump,
                further_dumps=done.further_dumps,
            )
        )
