"""Names that a user may have meant: every message about a mistyped word ends with them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mqdiag.text import Text, say

_ALIKE = 0.6
_MOST = 3


def nearest(word: str, known: Iterable[str], *, alike: float = _ALIKE) -> tuple[str, ...]:
    """The known words that are written most alike, the nearest first; case does not count.

    Args:
        word: as the user wrote it.
        known: the words that exist.
        alike: least likeness, 0 to 1.
    """
    import difflib  # mistyped words alone need it

    by_lower = {name.lower(): name for name in known}
    found = difflib.get_close_matches(word.lower(), sorted(by_lower), n=_MOST, cutoff=alike)
    return tuple(by_lower[low] for low in found)


def did_you_mean(problem: Text, names: Sequence[str], *, more: int = 0) -> Text:
    """The message with the names that the user may have meant.

    Args:
        problem: what is wrong, without a full stop.
        names: what may be meant; without any the message stays as it is.
        more: how many further names would fit too.
    """
    if not names:
        return problem
    if more:
        return say(
            "{problem}; did you mean {names} or one of {more:count} more?",
            problem=problem,
            names=tuple(names),
            more=more,
        )
    if len(names) == 1:
        return say("{problem}; did you mean {name}?", problem=problem, name=names[0])
    return say(
        "{problem}; did you mean {names} or {last}?", problem=problem, names=tuple(names[:-1]), last=names[-1]
    )
