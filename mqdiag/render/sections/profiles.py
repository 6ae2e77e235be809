"""Collapsed stacks of a profiler: what consume threads did, and where threads ran."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.profiles import Profile
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import AnyPart, Column, Paragraph, Section, Table, sections_of
from mqdiag.text import Text, say


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
        yield Table(
            name=f"{name}-methods",
            caption=say("Where threads ran"),
            columns=(
                Column(say("thread"), of="thread"),
                Column(say("at"), of="frame", java=True),
                Column(say("samples"), "count", of="samples"),
                Column(say("share"), "percent", of="share"),
            ),
            rows_of=profile.hot_methods,
        )


def _what_it_is(profile: Profile) -> Text:
    if profile.counts_objects:
        return say("It counts objects or waits for locks, not time.")
    if profile.threads is None:
        return say("{samples:count} samples; the file does not separate threads.", samples=profile.samples)
    if profile.by_wall is None:
        return say(
            "{samples:count} samples of {threads:count} {threads:thread|threads}; they do not show whether waiting"
            " threads were sampled, too.",
            samples=profile.samples,
            threads=profile.threads,
        )
    if profile.by_wall:
        return say(
            "{samples:count} samples of {threads:count} {threads:thread|threads}, of waiting ones, too.",
            samples=profile.samples,
            threads=profile.threads,
        )
    return say(
        "{samples:count} samples of {threads:count} {threads:thread|threads}, of running ones alone.",
        samples=profile.samples,
        threads=profile.threads,
    )


def _groups(profile: Profile, name: str) -> Table:
    def share(part: str):  # type: ignore[no-untyped-def]
        return lambda one: getattr(one, part) / one.samples if one.samples else None

    return Table(
        name=f"{name}-groups",
        caption=say("What consume threads did in the samples"),
        columns=(
            Column(say("group"), of="group", whole=True),
            Column(say("threads"), "count", of="threads"),
            Column(say("samples"), "count", of="samples"),
            Column(say("idle"), "percent", of=share("idle")),
            Column(say("running"), "percent", of=share("running")),
            Column(say("waiting"), "percent", of=share("waiting")),
            Column(say("mostly at"), of="frame", java=True, optional=True),
        ),
        rows_of=profile.groups,
    )
