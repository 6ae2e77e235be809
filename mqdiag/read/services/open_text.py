"""Whether a text between quotation marks, or a comment, goes on below a line of a statement.

Clients of databases print statements as they are, with their line ends. What a user wrote into one stands in a literal
or comment of it: below a line that ends outside of both stand no lines of a user.
"""

from __future__ import annotations

from mqdiag.lazy_pattern import lazy_pattern

_BEGIN = lazy_pattern(r"'|\"|`|/\*|(?<!\w)\$(?:[A-Za-z_]\w{0,60})?\$|--(?=\s|$)")
_END = {
    "'": lazy_pattern(r"'"),
    '"': lazy_pattern(r'"'),
    "`": lazy_pattern(r"`"),
    "/*": lazy_pattern(r"\*/"),
}
_END_UNESCAPED = {
    "'": lazy_pattern(r"(?:[^'\\]++|\\.)*+'"),
    '"': lazy_pattern(r'(?:[^"\\]++|\\.)*+"'),
}
_APOSTROPHE = lazy_pattern(r"(?<=\w\w)'(?=\w)|(?<=[^\W_ENBXenbx])'(?=\w)")


class OpenText:
    """A statement while its lines are read, by both meanings of a backslash: an escape, and no more than itself."""

    def __init__(self) -> None:
        self._open: list[str | None] = [None, None]

    def goes_on_below(self, line: str) -> bool:
        """Whether a text or comment may be open at the end of the next line of the statement."""
        self._open = [_after(line, now, escapes=bool(place)) for place, now in enumerate(self._open)]
        return self._open != [None, None]


def leaves_text_open(line: str) -> bool:
    """Whether a line of any kind leaves a text open; an apostrophe within a word begins none."""
    return OpenText().goes_on_below(_APOSTROPHE.sub("", line))


def _after(line: str, now: str | None, *, escapes: bool) -> str | None:
    """What is open at the end of a line, by what was open at its beginning."""
    place = 0
    while True:
        if now is None:
            begin = _BEGIN.search(line, place)
            if begin is None or begin[0] == "--":
                return None
            now, place = begin[0], begin.end()
        place = _end_of(line, now, place, escapes=escapes)
        if place < 0:
            return now
        now = None


def _end_of(line: str, now: str, place: int, *, escapes: bool) -> int:
    """Where what is open ends; -1 where it does not."""
    if now.startswith("$"):
        found = line.find(now, place)
        return -1 if found < 0 else found + len(now)
    ends = (escapes and _END_UNESCAPED.get(now)) or None
    end = _END[now].search(line, place) if ends is None else ends.match(line, place)
    return -1 if end is None else end.end()
