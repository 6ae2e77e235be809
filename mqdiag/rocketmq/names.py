"""Every class and field of RocketMQ that is read from a heap: its role, its Java name, the versions that have it.

Code asks by role, such as "ProcessQueue.in_flight". All names of a role are tried, the newest first: the structure of
an object decides what is read, never a version string. A new version of RocketMQ is added in
`mqdiag/knowledge/java_names.toml` and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from mqdiag.knowledge import packed
from mqdiag.lazy_pattern import lazy_pattern


class JavaName(NamedTuple):
    """One row: what a role is called in some versions."""

    role: str
    """"Class" for a class, "Class.meaning" for a field"""
    versions: str
    """"4.2.0+", or "3.2.6-4.1.0" with the last version that has the name"""
    name: str
    """the field; or the class: behind the package root for one of RocketMQ, in full for any other"""
    source: str
    """module and release in which it was read"""

    def is_in(self, version: str) -> bool:
        """True when this version of RocketMQ has the name."""
        first, _, last = self.versions.rstrip("+").partition("-")
        return version_key(first) <= version_key(version) and not (
            last and version_key(version) > version_key(last)
        )


class Family(NamedTuple):
    """Versions of the client whose objects look alike; recognised by a field that no older family has."""

    name: str
    since: str
    """its first version"""
    mark_class: str
    mark_field: str
    source: str


class Layout(NamedTuple):
    """The fields that a class declares in some versions."""

    role: str
    fields: str
    """"name:type" in the order of the source, types as in class files, all references as L"""
    source: str


class _File(msgspec.Struct, forbid_unknown_fields=True):
    families: tuple[Family, ...]
    layouts: tuple[Layout, ...]
    names: tuple[JavaName, ...]


_FILE = packed.decode(packed.ROOT, "java_names", _File)
FAMILIES = _FILE.families
"""newest first: the first whose mark is in the dump is taken"""
LAYOUTS = _FILE.layouts
ROWS = _FILE.names
"""newest name of a role first"""

REQUEST_QUEUE_ENDING = "ThreadPoolQueue"
"""fields of BrokerController that end so are the queues before its thread pools, in all versions"""
NAMING = lazy_pattern(r"(?i)(.*topic(name|key)?|.*group(name)?|broker(cluster)?name|clustername|statskey)$")
"""fields that name a topic, group, broker or cluster, or "topic@group", in any class of RocketMQ"""
KNOWN_CLASSES = (
    "ProcessQueue",
    "DefaultMQPushConsumer",
    "DefaultLitePullConsumer",
    "DefaultMQPullConsumer",
    "MessageExt",
)
"""roles of the classes by which a client is found: relocation to another package keeps their simple names"""


def _by_role() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for row in ROWS:
        found[row.role] = (*found.get(row.role, ()), row.name)
    return found


_NAMES = _by_role()


def names_of(role: str) -> tuple[str, ...]:
    """The Java names of a role, the newest first.

    Raises:
        KeyError: there is no such role.
    """
    return _NAMES[role]


def version_key(version: str) -> tuple[int, ...]:
    """4.10.0 as (4, 10, 0), for comparing."""
    return tuple(map(int, version.split(".")))
