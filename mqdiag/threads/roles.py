"""What a thread is for, by its name.

The names stand in `mqdiag/knowledge/thread_names.toml`.
"""

# Without annotations as strings: msgspec would compile each of them at the first use of a type, 0.2 ms in each run.

import re
from functools import cache, lru_cache
from string import digits
from typing import Final

import msgspec

from mqdiag.facts.vocabulary import Role
from mqdiag.knowledge import packed

CONSUME_WORKER: Final = "consume-worker"
CALLBACK: Final = "client-callback"
PULL_SERVICE: Final = "pull-service"
REBALANCE_SERVICE: Final = "rebalance-service"
BROKER_SEND: Final = "broker-send"
POOL: Final = "pool"
OTHER: Final = "other"
NAMELESS_VIRTUAL = "virtual threads"
"""pool of virtual threads that have neither a name nor an executor"""
POP: Final = "broker-pop"
PROXY: Final = "proxy"
CONTROLLER: Final = "controller"
NAME_SERVER: Final = "name-server"
DLEDGER: Final = "broker-dledger"
JVM: Final = "jvm"
VIRTUAL: Final = "virtual"
CARRIER: Final = "virtual-carrier"

WITH_OWN_LOOPS = frozenset({POOL, OTHER, POP, DLEDGER, PROXY, CONTROLLER, NAME_SERVER})
"""threads that may rest in a loop of their own, outside of a pool's queue"""
WORKER_NAME = re.compile(r"^ConsumeMessageThread_(?:(.+)_)?(\d+)$", re.S)
_NUMBERED = re.compile(r"^(.*?)[-_#: ]?\(?(\d+)\)?$", re.S)
_GROUP_OF_PREFIX = re.compile(
    r"^(?:ConsumeMessageScheduledThread|CleanExpireMsgScheduledThread)_(?:(.+)_)?\d+$|^PullMsgThread-(.+?)\d*$",
    re.S,
)


class _Names(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table of names."""

    beginnings: tuple[tuple[str, Role], ...]
    """the first one that fits holds"""
    pools: tuple[tuple[str, str], ...]
    """patterns of names whose number is not at their end, and the pool; the first one that fits holds"""
    jvm: frozenset[str]
    jvm_beginnings: tuple[str, ...]


NAMES = packed.decode(packed.ROOT, "thread_names", _Names)


class NamedRole(msgspec.Struct, frozen=True):
    """What a name says."""

    role: Role
    pool: str | None
    group: str | None


def role_of_name(name: str) -> NamedRole:
    """Role, pool and group by a thread's name."""
    stem = name.rstrip(digits)
    # the threads of a pool differ in the number at the end, of which one digit says as much as all
    return _role_of_name(name[: len(stem) + 1])


@lru_cache(maxsize=65_536)
def _role_of_name(name: str) -> NamedRole:
    name = plain = _without_number_of_debugger(name)
    if name.startswith("#"):
        # a broker in a BrokerContainer: "#<canonical broker name>#SendMessageThread_1"
        second = name.find("#", 1)
        plain = name[second + 1 :] if second > 0 else name
    for prefix, role in NAMES.beginnings:
        if plain.startswith(prefix):
            worker = WORKER_NAME.match(plain)
            if worker:
                return NamedRole(role, plain[: worker.start(2) - 1], worker[1])
            owner = _GROUP_OF_PREFIX.match(plain)
            group = (owner[1] or owner[2]) if owner else None
            return NamedRole(role, pool_of(plain) or plain, group)
    if plain in NAMES.jvm or plain.startswith(NAMES.jvm_beginnings):
        return NamedRole(JVM, None, None)
    pool = pool_of(plain)
    return NamedRole(POOL if pool else OTHER, pool, None)


def _without_number_of_debugger(name: str) -> str:
    """A name without the number that a debugger's export puts behind it: "main@1", "pool-1-thread-2@9887"."""
    before, at, number = name.rpartition("@")
    if not at or not number.isdecimal():
        return name
    return before if before[-1:].isdecimal() or before in NAMES.jvm else name


@cache
def _pool_patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(pattern, re.S), pool) for pattern, pool in NAMES.pools)


def pool_of(name: str) -> str | None:
    """A pool's name: a thread's name without its number."""
    for pattern, pool in _pool_patterns():
        found = pattern.match(name)
        if found is not None:
            return found.expand(pool)
    found = _NUMBERED.match(name)
    return found[1] if found and found[1] else None


def virtual_name(java_id: int | None) -> str:
    """What a virtual thread is called that has no name, as most have none."""
    return "virtual thread" if java_id is None else f"virtual thread #{java_id}"
