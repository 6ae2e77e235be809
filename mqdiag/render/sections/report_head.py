"""What a report is about: the evidence, its process, host, time and JVM, and the command that made the report."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from mqdiag.facts import Input
from mqdiag.facts.vocabulary import ServerKind
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import Pairs, Section, Words
from mqdiag.render.wording.short_paths import shared_folder
from mqdiag.render.wording.words import word
from mqdiag.text import Text, Value, say

_MOST_NAMES = 3


def head_section(report: Report, view: View) -> Iterator[Section]:
    """One line for each that is known."""
    rows = [*_rows(report, view)]
    if rows:
        yield Section(
            name="about", title=say("About this report"), headed=False, wide=True, parts=(Pairs(rows),)
        )


def _rows(report: Report, view: View) -> Iterator[tuple[Words, Value]]:
    read = [given for given in report.inputs if given.was_read]
    if read:
        yield say("evidence"), _evidence([given.path for given in read])
    if report.process is not None:
        yield say("process"), report.process.name
    servers = _servers(report)
    if servers:
        yield say("servers"), tuple(map(word, servers))
    for name, values in (
        (say("client"), _clients(report)),
        (say("host"), _hosts(report)),
        (say("JVM"), _jvms(report)),
    ):
        if values:
            yield name, _first(values)
    taken = _taken(report, read)
    if taken is not None:
        yield say("taken"), taken
    if view.command:
        yield say("made by"), say("`{command}`", command=shlex.join(view.command))


def _evidence(paths: list[str]) -> Value:
    if len(paths) == 1:
        return paths[0]
    folder = shared_folder(paths)
    if folder:
        return say("{files:count} files in {folder}", files=len(paths), folder=folder)
    return _first(paths)


def _first(values: list[str]) -> Value:
    shown = tuple(values[:_MOST_NAMES])
    if len(values) <= _MOST_NAMES:
        return shown
    return say("{shown} and {more:count} more", shown=shown, more=len(values) - _MOST_NAMES)


def _servers(report: Report) -> tuple[ServerKind, ...]:
    """What the process is, by its heap or its threads."""
    if report.heap is not None and report.heap.servers:
        return report.heap.servers
    return () if report.stacks is None else report.stacks.servers


def _clients(report: Report) -> list[str]:
    """Address, process and instance name, as the client itself composes them."""
    instances = () if report.heap is None else report.heap.instances
    return [*dict.fromkeys(one.client_id for one in instances if one.client_id)]


def _hosts(report: Report) -> list[str]:
    crashes = () if report.crash is None else report.crash.reports
    return [*dict.fromkeys(one.host for one in crashes if one.host)]


def _jvms(report: Report) -> list[str]:
    """As each kind of evidence names it: a heap dump tells the vendor, a thread dump the form of the VM."""
    if report.heap is not None and report.heap.jvm:
        return [report.heap.jvm]
    samples = () if report.stacks is None else report.stacks.series
    told = [*dict.fromkeys(one.jvm for one in samples if one.jvm)]
    crashes = () if report.crash is None else report.crash.reports
    return told or [*dict.fromkeys(one.jvm for one in crashes if one.jvm)]


def _taken(report: Report, inputs: list[Input]) -> Text | None:
    """The first and the last time of the evidence; local times count only where no time has a zone."""
    # A file with several thread dumps is one input.
    samples = () if report.stacks is None else report.stacks.series
    zoned = list(filter(None, (*(one.captured_at for one in inputs), *(one.captured_at for one in samples))))
    local = (*(one.captured_at_local for one in inputs), *(one.captured_local for one in samples))
    times = zoned or [time for time in local if time]
    if not times:
        return None
    # Thread dumps and logs write local times with a space and with a T.
    first, last = (choose(times, key=lambda time: time.replace("T", " ")) for choose in (min, max))
    if first == last:
        return say("{first:time}", first=first)
    return say("{first:time} to {last:time}", first=first, last=last)
