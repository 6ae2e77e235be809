"""The errors that end a command, each with the exit code of the contract.

A user sees one line: what is wrong, where, what was expected and what to try. A traceback is shown with
`--debug` only.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

from mqdiag.language import english
from mqdiag.text import NOTHING, Text, say

EXIT_CLEAN = 0
EXIT_FINDINGS = 1
EXIT_USAGE = 2
EXIT_INPUT = 3
EXIT_OUTPUT = EXIT_INPUT
EXIT_INTERNAL = 4
EXIT_INTERRUPTED = 130
"""128 + SIGINT, as shells report it"""

Lack = Literal["memory", "no-room", "too-large", "folder", "access", "reader"]
"""What was lacking where an input itself is not at fault.

no-room: a temporary folder is full. too-large: the input exceeds a limit that the user can raise. folder: a folder was
named where a file is expected. access: there is no such file, or this user may not read it. reader: it is in a
form that nothing here reads, and its error says what to do.
"""

TAKES_ANY = say("mqdiag diagnose takes evidence of any kind")
"""what to try with evidence that a command is not for"""

OPEN_FILES = "/proc/self/fd/"
"""where the copy of standard input is read, which has no name"""

NO_NAME = "''"
"""How an empty file name is shown; as a path it would mean the working directory."""


def first_line(error: BaseException) -> str:
    """The first line of an error's message; the name of its type where it has none."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def is_out_of_threads(error: BaseException) -> bool:
    """Whether Python could start no thread: the user has too many of them, or there is no memory for its stack."""
    return isinstance(error, RuntimeError) and "start new thread" in str(error)


class Reasoned(Exception):
    """Base of errors that stay inside mqdiag: a caller handles them, and can tell the user why."""

    def __init__(self, reason: Text) -> None:
        self.reason = reason
        super().__init__(reason)

    def __str__(self) -> str:
        return english()(self.reason)


class MqdiagError(Exception):
    """Base of all errors that a user is told about.

    Args:
        text: the whole line, written in the user's language by the command line and in English by `str`.
    """

    exit_code = EXIT_INTERNAL

    def __init__(self, text: Text) -> None:
        self.text = text
        super().__init__(text)

    def __str__(self) -> str:
        return english()(self.text)


class UsageError(MqdiagError):
    """Wrong options or a bad configuration file."""

    exit_code = EXIT_USAGE


class OutputError(MqdiagError):
    """A report or a copy that cannot be written, because a disk is full for example."""

    exit_code = EXIT_OUTPUT


class InputError(MqdiagError):
    """An input that cannot be read at all.

    Args:
        path: the file as the user named it.
        problem: what is wrong, with what was expected.
        hint: what to try next.
        offset: byte where it was noticed, if that helps to find it.
        line: line where it was noticed, for text inputs.
        lack: what was lacking; None where the input itself is at fault.
    """

    exit_code = EXIT_INPUT

    def __init__(
        self,
        path: str,
        problem: Text,
        *,
        hint: Text = NOTHING,
        offset: int | None = None,
        line: int | None = None,
        lack: Lack | None = None,
    ) -> None:
        self.path = path
        self.problem = problem
        self.hint = hint
        self.offset = offset
        self.line = line
        self.lack = lack
        where = say("{path}", path=path)
        if offset is not None:
            where = say("{path} (byte {offset})", path=path, offset=offset)
        elif line is not None:
            where = say("{path} (line {line})", path=path, line=line)
        super().__init__(say("{where}: {what}", where=where, what=self.without_path))

    def __reduce__(self) -> tuple[partial[InputError], tuple[str, Text]]:
        known = partial(InputError, hint=self.hint, offset=self.offset, line=self.line, lack=self.lack)
        return known, (self.path, self.problem)

    @property
    def without_path(self) -> Text:
        """What is wrong and what to try, for where the path stands beside it."""
        if not self.hint:
            return self.problem
        return say("{problem}; {hint}", self)

    def of(self, path: str) -> InputError:
        """The same error of a file that its user calls by another name."""
        return InputError(
            path, self.problem, hint=self.hint, offset=self.offset, line=self.line, lack=self.lack
        )


def missing_file(path: str) -> InputError:
    """There is no file and no folder of that name."""
    return InputError(
        path,
        say("no such file or folder"),
        hint=say("check the path; it is relative to the working directory"),
        lack="access",
    )


def given_folder(path: str) -> InputError:
    """A folder where a file is expected."""
    return InputError(
        path,
        say("is a folder, a file is expected"),
        hint=say("mqdiag diagnose reads folders"),
        lack="folder",
    )


def forbidden_file(path: str) -> InputError:
    """This user may not read a file."""
    return InputError(
        path, say("no permission to read it"), hint=say("run as its owner, or: chmod +r"), lack="access"
    )


def empty_file(path: str) -> InputError:
    """A file has no content."""
    return InputError(
        path,
        say("is empty"),
        hint=say("give the input through a pipe, or name a file")
        if path == "-" or path.startswith(OPEN_FILES)
        else say("copy it again; if the original is empty too, its disk may have been full"),
    )
