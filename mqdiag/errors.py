"""The errors that end a command, each with the exit code of the contract.

A user sees one line: what is wrong, where, what was expected and what to try. A traceback is shown with
`--debug` only.
"""

from __future__ import annotations

EXIT_CLEAN = 0
EXIT_FINDINGS = 1
EXIT_USAGE = 2
EXIT_INPUT = 3
EXIT_INTERNAL = 4

NO_NAME = "''"
"""How an empty file name is shown; as a path it would mean the working directory."""


class MqdiagError(Exception):
    """Base of all errors that a user is told about."""

    exit_code = EXIT_INTERNAL


class UsageError(MqdiagError):
    """Wrong options or a bad configuration file."""

    exit_code = EXIT_USAGE


class InputError(MqdiagError):
    """An input that cannot be read at all.

    Args:
        path: the file as the user named it.
        problem: what is wrong, with what was expected.
        hint: what to try next.
        offset: byte where it was noticed, if that helps to find it.
        line: line where it was noticed, for text inputs.
    """

    exit_code = EXIT_INPUT

    def __init__(
        self, path: str, problem: str, *, hint: str = "", offset: int | None = None, line: int | None = None
    ) -> None:
        self.path = path
        self.problem = problem
        self.hint = hint
        self.offset = offset
        self.line = line
        where = path
        if offset is not None:
            where += f" (byte {offset})"
        elif line is not None:
            where += f" (line {line})"
        super().__init__(f"{where}: {problem}" + (f"; {hint}" if hint else ""))
