"""Turns whatever ends a command into one line on stderr and the contract's exit code."""

from __future__ import annotations

import contextlib
import errno
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any

import click

from mqdiag.cli.common.language import reader_language
from mqdiag.cli.common.output import give_up_stdout, not_written
from mqdiag.errors import (
    EXIT_CLEAN,
    EXIT_INTERNAL,
    EXIT_INTERRUPTED,
    EXIT_OUTPUT,
    EXIT_USAGE,
    MqdiagError,
    is_out_of_threads,
)
from mqdiag.language import writer
from mqdiag.text import Text, say

_FULL = (errno.ENOSPC, errno.EDQUOT)


def complain(message: Text, language: str | None = None) -> None:
    """One line on stderr; line breaks and control characters from evidence never get there raw.

    Args:
        message: the line.
        language: of the reader, where no command runs that knows it.
    """
    from mqdiag.render.wording.ci_commands import Syntax, without_commands
    from mqdiag.render.wording.safe import safe

    # The exit code still tells when stderr takes no line.
    with contextlib.suppress(OSError):
        shown = safe(writer(language or reader_language())(message), limit=None)
        click.echo(f"mqdiag: {without_commands(shown, Syntax.PLAIN)}", err=True)


def guarded(work: Callable[[], Any], *, debug: bool, language: str) -> int:
    """Run a command; its return value is the exit code.

    Args:
        work: the command, which returns an exit code or None.
        debug: print the traceback of an error too.
        language: of the user.
    """
    try:
        with _interrupts_heard():
            code = work()
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return EXIT_USAGE
    except click.ClickException as error:
        from mqdiag.cli.common.wrong_usage import usage_problem

        complain(usage_problem(error), language)
        return EXIT_USAGE
    except (click.Abort, KeyboardInterrupt):
        complain(say("interrupted"), language)
        return EXIT_INTERRUPTED
    except MqdiagError as error:
        _trace(debug)
        complain(error.text, language)
        return error.exit_code
    except MemoryError:
        _trace(debug)
        complain(say("not enough memory for this input; try --quick, or a machine with more memory"), language)
        return EXIT_INTERNAL
    except SystemExit:
        # So click ends when the reader of a help text has gone away; its code 1 would mean findings.
        return EXIT_CLEAN
    except OSError as error:
        _trace(debug)
        if _was_printing(error):
            give_up_stdout()
            complain(not_written(error), language)
            return EXIT_OUTPUT
        if error.errno in _FULL:
            where = error.filename if isinstance(error.filename, str) else None
            complain(_disk_full(where), language)
            return EXIT_OUTPUT
        return _fault(error, debug, language)
    except Exception as error:
        _trace(debug)
        return _fault(error, debug, language)
    return code if isinstance(code, int) else EXIT_CLEAN


@contextlib.contextmanager
def _interrupts_heard() -> Iterator[None]:
    """Let Ctrl-C raise KeyboardInterrupt for a while, where it ends the process before and after; see `__main__`."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_DFL:
        yield
        return
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _disk_full(path: str | None) -> Text:
    """The line about a disk that takes no more, in a place where nothing better is known of it."""
    if path is None:
        return say("a disk is full; make room, or name another folder for temporary files in TMPDIR")
    return say("{path}: the disk is full; make room, or name another folder", path=path)


def _fault(error: Exception, debug: bool, language: str) -> int:
    if is_out_of_threads(error):
        complain(say("this user may start no more threads; raise ulimit -u or the container's limit"), language)
        return EXIT_INTERNAL
    line = say("internal fault: {kind}: {error}", kind=type(error).__name__, error=str(error))
    complain(line if debug else say("{line}; --debug shows where", line=line), language)
    return EXIT_INTERNAL


def _was_printing(error: OSError) -> bool:
    """Whether click could not write a help text; everything else that is printed tells its own errors."""
    import traceback

    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return frame.f_globals.get("__name__") == "click.utils"


def _trace(debug: bool) -> None:
    if debug:
        import traceback

        traceback.print_exc(file=sys.stderr)
