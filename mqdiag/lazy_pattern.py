"""Regular expressions that are compiled at their first use: a run uses few of those that the readers have."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


def lazy_pattern(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What `re.compile` gives, compiled when one of its methods is asked for.

    It has the methods and attributes of a pattern, but the functions of `re` do not take it.
    """
    return cast("re.Pattern[AnyStr]", _LazyPattern(pattern, flags))


class _LazyPattern:
    def __init__(self, pattern: Any, flags: int) -> None:
        self._source = pattern, flags

    def __getattr__(self, name: str) -> Any:
        # Kept under its name, so that later calls do not come here; `re` keeps the compiled pattern itself.
        self.__dict__[name] = value = getattr(re.compile(*self._source), name)
        return value
