"""Settings that the team intended, given by `--expect` or `mqdiag.toml`."""

from __future__ import annotations

import msgspec


class Expectation(msgspec.Struct, frozen=True, kw_only=True):
    """`[GROUP:]KEY=VALUE`; without a group it holds for every consumer."""

    key: str
    value: int | float | bool | str
    group: str | None = None
    source: str = "option"
    """"option", or the configuration file's path"""
