"""Which place of a workload an instance has: the name of a pod is another one after each roll-out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

import msgspec

from mqdiag.knowledge import packed

INSTANCE_LABELS = frozenset(("workload", "replica", "revision"))
"""labels that go before the name of the host"""


class Instance(msgspec.Struct, frozen=True, kw_only=True):
    """What an instance is of."""

    workload: str | None = None
    """name of the Deployment, StatefulSet, ReplicaSet or Job; None for a host that no name tells to be of one"""
    replica: str
    """name that lasts: the host's own, or of a pod that is replaced by one of another name its workload's"""
    revision: str | None = None
    """what a roll-out changes in its name"""


class _Form(msgspec.Struct, forbid_unknown_fields=True):
    kind: str
    pattern: str
    lasts: bool = False


class _Environments(msgspec.Struct, forbid_unknown_fields=True):
    words: frozenset[str]


class _Names(msgspec.Struct, forbid_unknown_fields=True):
    form: tuple[_Form, ...]
    environments: _Environments


@cache
def _names() -> _Names:
    return packed.decode(packed.ROOT, "fleet_names", _Names)


@cache
def _forms() -> tuple[tuple[re.Pattern[str], bool], ...]:
    return tuple((re.compile(form.pattern, re.IGNORECASE), form.lasts) for form in _names().form)


def instance_of(host: str, given: Mapping[str, str]) -> Instance:
    """The instance that a host is, by the form of its name, or by what a template or a manifest says.

    Args:
        host: its label; of a name with domains the first part.
        given: labels, of which `workload`, `replica` and `revision` go before the name.
    """
    name = host.partition(".")[0]
    found, lasts = next(
        ((match, lasts) for pattern, lasts in _forms() if (match := pattern.fullmatch(name)) is not None),
        (None, True),
    )
    told = {} if found is None else found.groupdict()
    workload = given.get("workload") or told.get("workload")
    replica = host if lasts or workload is None else workload
    if slot := given.get("replica"):
        replica = slot if workload is None else f"{workload}/{slot}"
    return Instance(workload=workload, replica=replica, revision=given.get("revision") or told.get("revision"))


def is_environment(folder: str) -> bool:
    """Whether a folder has the name of an environment, such as prod or staging-2."""
    return folder.lower().rstrip("0123456789").rstrip("-_.") in _names().environments.words
