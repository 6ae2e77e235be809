"""Lines in which RocketMQ itself reports that one of its parts failed, where no other rule knows more."""

from __future__ import annotations

from mqdiag.facts.logs import LogsFacts
from mqdiag.findings import Confidence
from mqdiag.log_events import enough
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("reported-fault")


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each part that reports faults again and again; of an excerpt one error is enough."""
    for one in () if logs.level_lines is None else logs.level_lines.reported:
        again = one.lines >= limits["lines"]
        told = one.part in RULE.texts.case and enough(logs, one.lines, limits["lines"])
        if told and (again or one.is_error):
            sure = again and one.is_error and one.in_own_log
            yield RULE.case(
                one.part,
                one,
                words={"text": one.text},
                confidence=Confidence.MEDIUM if sure else Confidence.LOW,
                because=None if sure else RULE.word("few" if one.in_own_log else "any-log"),
                rests_on=(one.path,),
            )
