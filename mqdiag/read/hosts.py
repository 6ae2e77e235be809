"""Names of hosts before each line of a text, as tools put them there that run a command on several machines.

Ansible, pssh, pdsh, dsh, clush and Fabric write `host: line` or `[host] line`. A layout may begin with a thread in the
same brackets, so such a name must be one that no thread has.
"""

from __future__ import annotations

import re

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.logs.levels import ANY

_ADDRESS = r"\d{1,3}(?:\.\d{1,3}){3}"
_NAME = rf"(?:{_ADDRESS}|[A-Za-z][\w.-]{{0,120}})"
_NO_LEVEL = rf"(?!(?i:{ANY}|notice|fatal|all)\b)"
BEGINS_WITH_ADDRESS = lazy_pattern(rf"{_ADDRESS}: ".encode())
COLON = rf"{_NO_LEVEL}(?P<name>{_NAME}):(?: |\r?$)"
"""pattern of what pssh, pdsh, dsh and clush write"""
BRACKETS = (
    rf"\[{_NO_LEVEL}(?!(?:[^\]\n]*[-.])?(?:main|exec|thread|pool|worker|scheduling|scheduler|executor|nio|timer|task)(?:[-\d.]|\]))"
    rf"(?P<name>{_ADDRESS}|[a-z][a-z0-9.-]{{0,120}}|[A-Z][A-Z0-9.-]{{0,120}})\](?: out:)?(?: |\r?$)"
)
"""pattern of what Ansible, Fabric and others write, without names of threads"""
_FORMS = (lazy_pattern(COLON), lazy_pattern(BRACKETS))


def host_before(line: str) -> re.Pattern[str] | None:
    """Pattern of the name of a host that a line begins with, as all lines of that host begin; None without one."""
    for form in _FORMS:
        found = form.match(line)
        if found is not None:
            return re.compile(re.escape(found[0].rstrip()) + "(?: |$)")
    return None
