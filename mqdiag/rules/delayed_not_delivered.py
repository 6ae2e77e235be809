"""A delay level of a broker stands: its messages are due, and are not delivered."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import structs

from mqdiag.facts import Facts
from mqdiag.facts.admin import BrokerStatus
from mqdiag.facts.broker_counters import answers_of
from mqdiag.facts.logs import LogEvent, LogsFacts, LogSubject
from mqdiag.findings import Subject
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.log_events import by_broker, events, files_of, of_broker, seconds_between
from mqdiag.log_events.course import quiet_for
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.rules.shared.broker_status import is_slave
from mqdiag.time_ranges import between

RULE = Rule("delayed-not-delivered")
NOT_PUT, TOO_LARGE = "delayed-not-put", "delayed-too-large"
MIB = 1 << 20
COUNTER = "scheduleMessageOffset_"
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_LEVEL = lazy_pattern(r"(\d{1,6})([smhd])")
_OFFSETS = lazy_pattern(r"(\d{1,18}),(\d{1,18})")


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Findings:
    """One finding for each level that tries one message again and again."""
    for logs, event, row in _tried(facts, limits):
        yield _blocked(facts, logs, event, row, limits)


def _tried(facts: Facts, limits: Limits) -> Iterator[tuple[LogsFacts, LogEvent, LogSubject]]:
    """Levels that try one message to the end of their broker's logs."""
    for logs in () if facts.logs is None else by_broker(facts.logs):
        for event in events(logs, NOT_PUT, TOO_LARGE):
            for row in event.subjects:
                if _tries_on(logs, event, row, limits):
                    yield logs, event, row


def _tries_on(logs: LogsFacts, event: LogEvent, row: LogSubject, limits: Limits) -> bool:
    """Whether the level tried one message to the end of the log; what is no matter of size may pass in seconds."""
    lasted = event.kind == TOO_LARGE or seconds_between(row.first, row.last) >= limits["lasts_s"]
    over = quiet_for(logs, structs.replace(event, last=row.last)) > limits["over_s"]
    return row.count >= limits["lines"] and lasted and not over


def _blocked(facts: Facts, logs: LogsFacts, event: LogEvent, row: LogSubject, limits: Limits) -> Draft:
    level = None if row.queue_id is None else row.queue_id + 1
    stands = {} if level is None else _stands(facts, limits)
    size = event.values.get("message_bytes")
    return RULE.case(
        "delay-level-refused" if size is None else "delay-level-blocked",
        subject=Subject(topic=row.topic, broker=of_broker(logs).broker, queue_id=row.queue_id),
        events=[event],
        evidence={
            "level": level,
            "lines": row.count,
            "offset": event.values.get("last_offset") if len(event.subjects) == 1 else None,
            "message_bytes": size,
            "max_message_bytes": event.values.get("max_message_bytes"),
            "raise_to": None if size is None else (size // MIB + 1) * MIB,
            "waiting": None if level is None or level not in stands else stands[level][0],
        },
        rests_on=files_of([event]),
    )


@RULE.sees("admin")
def in_admin(facts: Facts, limits: Limits) -> Findings:
    """One finding for each level of which two answers of brokerStatus show that it stands."""
    if any(True for _ in _tried(facts, limits)):
        return
    for level, (waiting, seconds, last) in _stands(facts, limits).items():
        yield RULE.case(
            "delay-level-stands",
            subject=Subject(queue_id=level - 1),
            evidence={"level": level, "waiting": waiting, "seconds": round(seconds)},
            when=between(last.asked_at, None),
            rests_on=(last.source,),
        )


def _stands(facts: Facts, limits: Limits) -> dict[int, tuple[int, float, BrokerStatus]]:
    """By level: messages that wait, seconds between both answers, the last answer.

    What the first answer has was due before the last one came, where more time than the level's lies between.
    """
    assert facts.admin is not None or facts.logs is not None
    found: dict[int, tuple[int, float, BrokerStatus]] = {}
    delays = _delays(facts)
    for answers in [] if facts.admin is None else answers_of(facts.admin):
        first, last = answers[0], answers[-1]
        if facts.admin is None or is_slave(facts.admin, last):
            continue
        seconds = seconds_between(first.asked_at, last.asked_at)
        for name, text in first.values.items():
            level = name.removeprefix(COUNTER)
            before, after = _OFFSETS.fullmatch(text), _OFFSETS.fullmatch(last.values.get(name, ""))
            if not name.startswith(COUNTER) or not level.isdigit() or before is None or after is None:
                continue
            due = delays.get(int(level))
            stood = before[1] == after[1] and int(before[2]) > int(before[1])
            if stood and due is not None and seconds >= due + limits["late_s"]:
                found[int(level)] = int(after[2]) - int(after[1]), seconds, last
    return found


def _delays(facts: Facts) -> dict[int, int]:
    """Seconds by level: as the broker's settings have them, else as they are by default."""
    configs = () if facts.admin is None else facts.admin.broker_configs
    set_to = [
        config.settings["messageDelayLevel"] for config in configs if "messageDelayLevel" in config.settings
    ]
    printed = None if facts.logs is None else facts.logs.settings.get("messageDelayLevel")
    levels = (set_to[-1] if set_to else printed or " ".join(RULE.names("levels"))).split()
    read = [_LEVEL.fullmatch(one) for one in levels]
    return {number: int(one[1]) * UNITS[one[2]] for number, one in enumerate(read, 1) if one is not None}
