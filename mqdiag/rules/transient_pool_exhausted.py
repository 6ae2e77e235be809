"""The broker has no off-heap buffer left to write to."""

from __future__ import annotations

from mqdiag.facts.broker import BrokerFacts
from mqdiag.facts.logs import LogsFacts
from mqdiag.log_events import events, lines_of
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.brokers import subject, subject_of_logs
from mqdiag.rules.shared.busy_answers import REJECT, answer_lines

RULE = Rule("transient-pool-exhausted")


@RULE.brokers
def in_heap(broker: BrokerFacts, limits: Limits) -> Findings:
    """One finding for each broker whose pool is in force and has no buffer left."""
    pool, log = broker.transient_store_pool, broker.commit_log
    if pool is not None and pool.in_force and pool.available_buffers == 0:
        yield RULE.case(
            "pool-empty" if pool.buffers_in_use else "pool-not-initialised",
            pool,
            broker,
            log,
            subject=subject(broker),
        )


@RULE.broker_logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each broker: `only remain 0 sheets`, with or without answers that follow from it."""
    empty, refused = events(logs, "pool-empty", "pool-not-enough"), events(logs, REJECT)
    put = logs.pagecachert
    if empty:
        yield RULE.case(
            "ran-out-and-refused" if refused else "ran-out",
            logs=logs,
            events=[*empty, *refused],
            subject=subject_of_logs(logs, refused),
            evidence={"times": lines_of(empty), "refused": lines_of(refused)},
            words={"no_slow_write": put is not None and put.from_1_s == 0},
            given={"answer_lines": answer_lines(refused)},
        )
