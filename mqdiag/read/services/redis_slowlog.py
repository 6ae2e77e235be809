"""Commands that Redis found slow, as redis-cli prints the answer of SLOWLOG GET, with and without a terminal.

On a terminal each value has its place in numbers before it and stands between quotation marks. Elsewhere redis-cli
prints values as they are: what a client has stored, with its line ends, may look like the entries below it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from mqdiag.facts.services import SlowCommand
from mqdiag.lazy_pattern import lazy_pattern

MOST_LINES = 100_000
MOST_COMMANDS = 2_000
LONGEST_WORD = 40
_NUMBERED = lazy_pattern(r" *\d{1,6}\) +1\) \(integer\) \d{1,12}$")
_NUMBER = lazy_pattern(r" *(?:2|3)\) \(integer\) (\d{1,15})$")
_WORD = lazy_pattern(r" *(?:4\) +1|\d{1,6})\) \"(.*)\"$")
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
    lines = [line.rstrip("\r") for line in lines[:MOST_LINES]]
    first = [line for line in lines if line.strip()][:3]
    found = _of_terminal(source, lines) if any(map(_NUMBERED.match, first)) else _of_file(source, lines)
    for count, command in enumerate(found):
        if count >= MOST_COMMANDS:
            return
        yield command


def _of_terminal(source: str, lines: Sequence[str]) -> Iterator[SlowCommand]:
    """An entry begins where its number stands before that of its first value."""
    begins = [place for place, line in enumerate(lines) if _NUMBERED.match(line)]
    for begin, end in zip(begins, [*begins[1:], len(lines)], strict=True):
        numbers = [found[1] for line in lines[begin + 1 : begin + 3] if (found := _NUMBER.match(line))]
        words = [found[1] for line in lines[begin + 3 : end] if (found := _WORD.match(line))]
        if len(numbers) < 2 or not words:
            continue
        has_client = len(words) > 2 and _CLIENT.match(words[-2]) is not None
        command = words[:-2] if has_client else words
        client, name = words[-2:] if has_client else (None, "")
        yield _command(source, numbers, command, client, name)


def _of_file(source: str, lines: Sequence[str]) -> Iterator[SlowCommand]:
    """The first numbers are surely Redis' own: a client may have written all that stands below."""
    place, is_first = 0, True
    while place < len(lines):
        if not _begins(lines, place):
            place += 1
            continue
        end = place + 3
        while end < len(lines) and not _begins(lines, end) and not _CLIENT.match(lines[end]):
            end += 1
        client = lines[end] if end < len(lines) and not _begins(lines, end) else None
        named = client is not None and end + 1 < len(lines) and not _begins(lines, end + 1)
        if lines[place + 3 : end] and lines[place + 3]:
            name = lines[end + 1] if named else ""
            yield _command(
                source,
                lines[place + 1 : place + 3],
                lines[place + 3 : end],
                client,
                name,
                may_be_quoted=not is_first,
            )
            is_first = False
        place = end


def _command(
    source: str,
    numbers: Sequence[str],
    command: Sequence[str],
    client: str | None,
    name: str,
    *,
    may_be_quoted: bool = False,
) -> SlowCommand:
    """One entry, by the second at which it ran, how many microseconds it took, its words and its client."""
    return SlowCommand(
        server="Redis",
        name=command[0].upper()[:LONGEST_WORD],
        argument=command[1][:LONGEST_WORD] or None if len(command) > 1 else None,
        ms=int(numbers[1]) / 1000,
        at=datetime.fromtimestamp(int(numbers[0]), UTC).isoformat(),
        client=client,
        client_name=name.strip() or None,
        source=source,
        may_be_quoted=may_be_quoted,
    )


def _begins(words: Sequence[str], place: int) -> bool:
    """Whether an entry begins here: its number, the second, and how many microseconds it took."""
    numbers = [word.strip() for word in words[place : place + 3]]
    digits = all(one.isascii() and one.isdigit() and len(one) <= 15 for one in numbers)
    return len(numbers) == 3 and digits and 9 <= len(numbers[1]) <= 10
