"""Settings that the team intended, given by `--expect` or `mqdiag.toml`."""

from __future__ import annotations

import msgspec

from mqdiag.facts.redaction import Label, Public
from mqdiag.text import say

SettingValue = int | float | bool | str
NOT_GIVEN = say("no intended settings were given: --expect KEY=VALUE or [expect] in mqdiag.toml")
"""why settings were not compared with what was intended"""


class Expectation(msgspec.Struct, frozen=True, kw_only=True):
    """`[GROUP:]KEY=VALUE`; without a group it holds for every consumer."""

    key: Public
    value: int | float | bool | Label
    group: Public | None = None
    source: Public = "option"
    """"option", or the configuration file's path"""
