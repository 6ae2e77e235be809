"""Why an answer is undecided, each reason with the action that would decide it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from mqdiag.facts import Input
from mqdiag.facts.known import NO_NAMES
from mqdiag.findings import Action
from mqdiag.text import Text

GivenLimits = Mapping[str, Mapping[str, float]]
"""limits that the configuration sets, by rule"""
NONE_GIVEN: GivenLimits = MappingProxyType({})


class Open(msgspec.Struct, frozen=True):
    """One reason."""

    why: Text
    """a sentence"""
    wants: str = ""
    """name of the action in knowledge/actions.toml that would decide it; empty where none is known"""
    named: Mapping[str, str | None] = NO_NAMES
    """names for its sentences besides those that all evidence tells"""
    does: Action | None = None
    """the action itself, where a finding has it"""


def mends(given: Input) -> str:
    """The shared action that mends what could not be read; none where its error itself says what to do."""
    if given.has_two_processes:
        return "dumps_apart"
    if given.lack is None:
        return "same_file"
    return "whole_folder" if given.lack == "folder" else ""
