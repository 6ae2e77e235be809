"""What the command line of a JVM tells: its main class and the system properties that it sets."""

from __future__ import annotations

from collections.abc import Sequence

_VALUE_APART = frozenset(
    (
        "-cp", "-classpath", "--class-path", "-p", "--module-path", "--upgrade-module-path", "--add-modules",
        "--add-opens", "--add-exports", "--add-reads", "--patch-module", "--limit-modules", "--source",
        "--enable-native-access",
    )
)  # fmt: skip
"""options of java with their value in the next argument"""
MOST_PROPERTIES = 500


def main_class(command: Sequence[str]) -> str | None:
    """The main class, module or jar of a java command line; None for a JVM inside another program."""
    parts = iter(command[1:])
    for part in parts:
        if part in ("-jar", "-m", "--module"):
            return next(parts, None)
        if part in _VALUE_APART:
            next(parts, None)
        elif not part.startswith(("-", "@")):
            return part
    return None


def system_properties(command: Sequence[str]) -> dict[str, str]:
    """The system properties of a java command line, by name; those of the program's own arguments are left out."""
    found: dict[str, str] = {}
    parts = iter(command[1:])
    for part in parts:
        if part.startswith("-D") and "=" in part and len(found) < MOST_PROPERTIES:
            name, _, value = part[2:].partition("=")
            found[name] = value
        elif part in ("-jar", "-m", "--module"):
            break
        elif part in _VALUE_APART:
            next(parts, None)
        elif not part.startswith(("-", "@")):
            break
    return found
