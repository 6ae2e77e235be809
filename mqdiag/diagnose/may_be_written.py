"""Findings that rest on lines which a user may have written into a message of an application.

The rules are asked again without such lines: what they say then does not rest on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from mqdiag.facts import Facts, LogsFacts
from mqdiag.findings import Confidence, Finding, Severity
from mqdiag.text import say

ALONE = say(
    "its lines stand in one place of the log of an application, and may be quoted from a message that somebody wrote"
)
AMONG_MESSAGES = say("only logs of other programs than RocketMQ show it, and their lines may quote other text")
_LEVELS = tuple(Confidence)

Again = Callable[[Facts, set[str]], Iterable[Finding]]
"""asks rules again, by facts and their names"""


def with_doubts(findings: Sequence[Finding], facts: Facts, again: Again) -> tuple[Finding, ...]:
    """Findings, none of which is sure that rests on such lines alone.

    Args:
        findings: what the rules said.
        facts: all facts.
        again: asks rules again.
    """
    doubtful = [found for found in findings if _rests_on_logs(found)]
    if not doubtful or facts.sure_logs is None:
        return tuple(findings)
    sure = _without(doubtful, facts, facts.sure_logs, again)
    repeated = _without(doubtful, facts, facts.repeated_logs, again)
    return tuple(
        found if not _rests_on_logs(found) else _held(found, sure) or _doubted(found, repeated)
        for found in findings
    )


def _rests_on_logs(found: Finding) -> bool:
    return {*found.seen_in} == {"logs"} and not found.undecides


def _without(
    doubtful: Iterable[Finding], facts: Facts, logs: LogsFacts | None, again: Again
) -> tuple[Finding, ...]:
    """What the same rules say without some lines."""
    return tuple(again(msgspec.structs.replace(facts, logs=logs), {found.rule for found in doubtful}))


def _held(found: Finding, without: Iterable[Finding]) -> Finding | None:
    """The finding, or what is said in its place without some lines where it is less sure then; None without both."""
    for one in without:
        if one.fingerprint == found.fingerprint and one.severity.rank <= found.severity.rank:
            return max(found, one, key=lambda said: _LEVELS.index(said.confidence))
    return None


def _doubted(found: Finding, repeated: Iterable[Finding]) -> Finding:
    if _held(found, repeated) is not None:
        confidence = Confidence.LOW if found.confidence is Confidence.LOW else Confidence.MEDIUM
        why = found.confidence_reason if found.confidence is not Confidence.HIGH else AMONG_MESSAGES
        return msgspec.structs.replace(found, confidence=confidence, confidence_reason=why)
    # lines that excuse a fault need the same proof
    excuses = any(one.rule == found.rule and one.severity.rank < found.severity.rank for one in repeated)
    return msgspec.structs.replace(
        found,
        confidence=Confidence.LOW,
        confidence_reason=ALONE,
        may_be_quoted=True,
        undecides=found.severity is Severity.INFO and excuses,
    )
