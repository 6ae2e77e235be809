"""Whether a broker takes its page cache for busy, by its heap and by logs."""

from __future__ import annotations

from mqdiag.facts.broker import BrokerFacts
from mqdiag.facts.logs import LogsFacts
from mqdiag.log_events import events, number_set
from mqdiag.rules.shared.brokers import setting
from mqdiag.rules.shared.busy_answers import ONLY_PAGE_CACHE, REJECT
from mqdiag.rules.shared.write_times import FAST_PUTS

DEFAULT_LIMIT_MS = 1000
"""osPageCacheBusyTimeOutMills since 3.5.8"""
FORGIVEN_MS = 10_000_000
"""DefaultMessageStore.isOSPageCacheBusy takes a longer time for a mistake"""


def limit_ms(broker: BrokerFacts) -> int:
    """The setting osPageCacheBusyTimeOutMills in force."""
    limit = setting(broker, "osPageCacheBusyTimeOutMills")
    return DEFAULT_LIMIT_MS if limit is None else limit


def refuses(broker: BrokerFacts) -> bool:
    """Whether the broker refuses sends because it takes its page cache for busy."""
    age = broker.page_cache_lock_ms
    return age is not None and limit_ms(broker) < age < FORGIVEN_MS


def is_busy(broker: BrokerFacts) -> bool:
    """Whether a thread is in a write that takes too long, also where a raised limit hides it."""
    age = broker.page_cache_lock_ms
    limit = min(limit_ms(broker), DEFAULT_LIMIT_MS)
    return age is not None and limit < age < FORGIVEN_MS and _somebody_writes(broker)


def _somebody_writes(broker: BrokerFacts) -> bool:
    lock = broker.put_lock
    return lock is not None and (bool(lock.held) or bool(lock.writers))


def was_busy(logs: LogsFacts) -> bool:
    """Whether the broker of these logs took its page cache for busy."""
    if lock_over_limit(logs):
        return True
    if _no_write_took_a_second(logs):
        # with a limit of some milliseconds a healthy disk gives the same answers
        return False
    return bool(logs.count(*ONLY_PAGE_CACHE)) or (bool(logs.count(REJECT)) and not pool_was_empty(logs))


def pool_was_empty(logs: LogsFacts) -> bool:
    """Whether the transient store pool ran out of buffers."""
    return bool(logs.count("pool-empty", "pool-not-enough"))


def lock_over_limit(logs: LogsFacts) -> bool:
    """Whether one write held the commit log's lock for longer than the limit."""
    longest = longest_in_lock_ms(logs)
    limit = number_set(logs, "osPageCacheBusyTimeOutMills") or DEFAULT_LIMIT_MS
    return longest is not None and longest > max(limit, DEFAULT_LIMIT_MS)


def longest_in_lock_ms(logs: LogsFacts) -> int | None:
    """The longest time of one write under the lock; None where no line tells."""
    found = [event.values.get("longest_ms", 0) for event in events(logs, "slow-put-in-lock")]
    return max(found, default=None)


def _no_write_took_a_second(logs: LogsFacts) -> bool:
    put = logs.pagecachert
    return put is not None and put.puts >= FAST_PUTS and put.from_1_s == 0
