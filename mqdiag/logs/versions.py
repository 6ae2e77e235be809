"""Between which versions a broker is, by the names of the settings that it prints when it starts.

A broker prints every field of its BrokerConfig, in the order of the class; up to 4.x those of its MessageStoreConfig
too. A setting that is there tells the least version. One that is missing, while both neighbours that all versions have
are there, tells the version that it came with is not reached. Source: the fields of both classes in all releases from
4.0.0 to 5.3.3; 4.5.0 is taken to have what 4.4.0 has.
"""

from __future__ import annotations

from collections.abc import Iterable

from mqdiag.facts.logs import VersionRange
from mqdiag.knowledge.log_files import log_files
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.log_tally import LogTally
from mqdiag.logs.message import Message
from mqdiag.text import Text, say

_NAME = lazy_pattern(r"INFO main - (\w{2,80})=")
RESETS_UNTIL = "4.9.4"
"""DefaultMessageStore.getMessage sends a consumer beyond the end to 0 before it, where the queue begins at 0"""
SAYS_FIX_TO = "5.0.0"
"""PullMessageProcessor: "over flow badly, fix to" """


SETTINGS = log_files().settings
_PRE_RELEASE = "enablePopLog"
"""a setting of 5.0.0-PREVIEW and -ALPHA too, which lack some of 4.9.x"""
KEPT = frozenset({_PRE_RELEASE, *(part for one in SETTINGS for part in one[1:])})
"""the names that are looked for"""


def printed(message: Message, log: LogTally) -> None:
    """A line of the configuration that a starting broker prints."""
    found = _NAME.search(message.text)
    if found is not None and found[1] in KEPT:
        log.printed.add(found[1])


def version_range(tallies: Iterable[LogTally], *, resets: bool) -> VersionRange | None:
    """The range of one broker; None where nothing tells.

    Args:
        tallies: of its logs; each may have a start of its own.
        resets: a consumer was sent back to 0 by it.
    """
    lower: list[str] = []
    upper: list[str] = []
    told: dict[Text, None] = {}
    own = list(tallies)
    for names in [tally.printed for tally in own if tally.printed]:
        if _PRE_RELEASE in names and "controllerAddr" not in names:
            return VersionRange(reason=say("it has settings of a version before 5.0.0 was released"))
        lower += [one.since for one in SETTINGS if one.name in names]
        upper += [one.since for one in SETTINGS if one.name not in names and {one.after, one.before} <= names]
        told[say("the settings that it printed at its start")] = None
    if any(tally.says_fix_to for tally in own):
        lower.append(SAYS_FIX_TO)
        told[say("the words of its line about an offset beyond the end")] = None
    if resets:
        upper.append(RESETS_UNTIL)
        told[say("it sent a consumer back to 0")] = None
    if not lower and not upper:
        return None
    since = max(lower, key=number, default=None)
    before = min(upper, key=number, default=None)
    if since is not None and before is not None and number(since) >= number(before):
        return VersionRange(
            reason=say("its lines come from several versions, or from one that was never released")
        )
    return VersionRange(since=since, before=before, told_by=tuple(told))


def number(version: str) -> tuple[int, ...]:
    """4.9.4 as (4, 9, 4)."""
    return tuple(int(part) for part in version.split("."))
