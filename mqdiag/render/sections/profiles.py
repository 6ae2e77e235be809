"""Collapsed stacks of a profiler: what consume threads did, and where threads ran."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.profiles import Profile
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import AnyPart, Paragraph, Section, Table, sections_of
from mqdiag.render.tables import Tables
from mqdiag.text import Text, say

TABLES = Tables("profiles")


def profiles_section(report: Report, view: View) -> Iterator[Section]:
    """One section for each file."""
    if report.profiles is not None:
        yield from sections_of(
            report.profiles.profiles,
            "profile",
            alone=say("Samples of a profiler"),
            title=lambda one: say("Samples of {path}", path=one.path),
            parts=_parts,
        )


def _parts(profile: Profile, name: str) -> Iterator[AnyPart]:
    yield Paragraph(_what_it_is(profile))
    if profile.groups:
        yield _groups(profile, name)
    if profile.hot_methods:
        yield TABLES.table("methods", profile.hot_methods, name=f"{name}-methods")


def _what_it_is(profile: Profile) -> Text:
    if profile.counts_objects:
        return say("It counts objects or waits for locks, not time.")
    if profile.threads is None:
        return say("{samples:count} samples; the file does not separate threads.", samples=profile.samples)
    if profile.by_wall is None:
        return say(
            "{samples:count} samples of {threads:count} {threads:thread|threads}; they do not show whether waiting"
            " threads were sampled, too.",
            profile,
        )
    if profile.by_wall:
        return say(
            "{samples:count} samples of {threads:count} {threads:thread|threads}, of waiting ones, too.",
            profile,
        )
    return say(
        "{samples:count} samples of {threads:count} {threads:thread|threads}, of running ones alone.", profile
    )


def _groups(profile: Profile, name: str) -> Table:
    def share(part: str):  # type: ignore[no-untyped-def]
        return lambda one: getattr(one, part) / one.samples if one.samples else None

    return TABLES.table(
        "groups",
        profile.groups,
        name=f"{name}-groups",
        idle=share("idle"),
        running=share("running"),
        waiting=share("waiting"),
    )
