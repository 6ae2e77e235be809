"""Commands that Redis found slow, as redis-cli prints the answer of SLOWLOG GET, with and without a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from mqdiag.facts.services import SlowCommand
from mqdiag.lazy_pattern import lazy_pattern

MOST_LINES = 100_000
MOST_COMMANDS = 2_000
LONGEST_WORD = 40
_NUMBERED = lazy_pattern(r" *\d{1,6}\) +1\) \(integer\) \d{1,12}$")
_PREFIX = lazy_pattern(r"(?: *\d{1,6}\) +)+(?:\(integer\) )?")
_CLIENT = lazy_pattern(r"(?:[\d.]{7,15}|\[?[\da-f:.]{2,45}\]?):\d{1,5}$|/[^\n]{1,200}:0$")


def is_slowlog(lines: Sequence[str]) -> bool:
    """Whether the first lines are an entry of such an answer."""
    given = [line for line in lines if line.strip()]
    if any(_NUMBERED.match(line) for line in given[:3]):
        return True
    return _begins(given, 0) and any(_CLIENT.match(line) for line in given) and given[3:4] != []


def read_slowlog(source: str, lines: Sequence[str]) -> Iterator[SlowCommand]:
    """The commands, in the order of the answer.

    Args:
        source: what the user calls the file.
        lines: of its text.
    """
    words = [_plain(line.rstrip("\r")) for line in lines[:MOST_LINES]]
    place = found = 0
    while place < len(words) and found < MOST_COMMANDS:
        if not _begins(words, place):
            place += 1
            continue
        end = place + 3
        while end < len(words) and not _begins(words, end) and not _CLIENT.match(words[end]):
            end += 1
        command = words[place + 3 : end]
        client = words[end] if end < len(words) and not _begins(words, end) else None
        name = words[end + 1] if client and end + 1 < len(words) and not _begins(words, end + 1) else ""
        if command and command[0]:
            found += 1
            yield SlowCommand(
                server="Redis",
                name=command[0].upper()[:LONGEST_WORD],
                argument=(_argument(command) or "")[:LONGEST_WORD] or None,
                ms=int(words[place + 2]) / 1000,
                at=datetime.fromtimestamp(int(words[place + 1]), UTC).isoformat(),
                client=client,
                client_name=name.strip() or None,
                source=source,
            )
        place = end


def _argument(command: Sequence[str]) -> str | None:
    """What it works on: the first key, or the hash or text of a script."""
    return command[1] if len(command) > 1 else None


def _plain(line: str) -> str:
    """A line without what a terminal is shown besides."""
    found = _PREFIX.match(line)
    text = line[found.end() :] if found else line
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


def _begins(words: Sequence[str], place: int) -> bool:
    """Whether an entry begins here: its number, the second, and how many microseconds it took."""
    numbers = [_plain(word).strip() for word in words[place : place + 3]]
    digits = all(one.isascii() and one.isdigit() and len(one) <= 15 for one in numbers)
    return len(numbers) == 3 and digits and 9 <= len(numbers[1]) <= 10
