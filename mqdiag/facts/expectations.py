"""Settings that the team intended, given by `--expect` or `mqdiag.toml`."""

from __future__ import annotations

import msgspec

from mqdiag.facts.redaction import Label, Public


class Expectation(msgspec.Struct, frozen=True, kw_only=True):
    """`[GROUP:]KEY=VALUE`; without a group it holds for every consumer."""

    key: Public
    value: int | float | bool | Label
    group: Public | None = None
    source: Public = "option"
    """"option", or the configuration file's path"""
