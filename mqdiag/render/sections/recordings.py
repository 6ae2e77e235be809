"""Flight recordings: time of consume threads, calls by peer, locks, processor, memory, pauses, threads."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from mqdiag.facts.recordings import RecordedCalls, RecordedLock, Recording
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.figures.bars import BarRow, bars
from mqdiag.render.figures.event_series import Series, Step, event_series, steps
from mqdiag.render.parts import AnyPart, Bullets, Figure, Paragraph, Section, Table, sections_of
from mqdiag.render.sections.call_tree import Measure, calls_figure
from mqdiag.render.tables import Tables
from mqdiag.render.wording.words import word
from mqdiag.text import NOTHING, Text, quantity, say
from mqdiag.thread_names import grouped_names

TABLES = Tables("recordings")

_MOST_BARS = 12
_PAUSE_STEP_S = 1.0


def recordings_section(report: Report, view: View) -> Iterator[Section]:
    """One section for each recording."""
    if report.recordings is not None:
        yield from sections_of(
            report.recordings.recordings,
            "recording",
            alone=say("Flight recording"),
            title=lambda one: say("Flight recording {path}", path=one.path),
            parts=_parts,
        )


def _parts(recording: Recording, name: str) -> Iterator[AnyPart]:
    yield Paragraph(
        say(
            "{seconds:seconds} of {jvm}, from {first:time}: {events:count} events and {dumps:count} thread"
            " {dumps:dump|dumps}.",
            recording,
            jvm=recording.jvm or say("a JVM"),
            first=recording.began_at,
        )
    )
    limits = [*_blind_spots(recording)]
    if limits:
        yield Bullets(limits, title=say("What it cannot show"))
    if recording.budgets:
        yield _budgets(recording, name)
    if recording.time_by_call:
        yield _time_by_call(recording)
    if recording.calls:
        yield from _calls(recording, name)
    if recording.locks:
        yield TABLES.table("locks", recording.locks, name=f"{name}-locks", who=_who)
    if recording.hot_methods:
        yield TABLES.table("methods", recording.hot_methods, name=f"{name}-methods")
    if recording.allocations:
        yield TABLES.table("allocations", recording.allocations, name=f"{name}-allocations")
    if recording.pauses:
        yield from _pauses(recording, name)
    if recording.old_objects:
        yield TABLES.table(
            "old-objects",
            recording.old_objects,
            name=f"{name}-old-objects",
            held_by=lambda one: " < ".join(one.path) or None,
        )
    if recording.errors:
        yield TABLES.table("errors", recording.errors, name=f"{name}-errors")
    facts = [*_facts(recording)]
    if facts:
        yield Bullets(facts)


def _blind_spots(recording: Recording) -> Iterator[Text]:
    yield say("A call that has not ended has no event; thread dumps and samples of native code show those.")
    slowest = max(
        (took for event, took in recording.thresholds_ms.items() if event.startswith("jdk.Socket")), default=0.0
    )
    if slowest:
        yield say("Network calls shorter than {slowest:ms} are not in it.", slowest=slowest)
    if recording.not_recorded:
        yield say(
            "{events:and} {count:was|were} not recorded, so rules that need {count:it|them} see less.",
            events=recording.not_recorded,
            count=len(recording.not_recorded),
        )
    if recording.lost_bytes:
        yield say("The JVM lost {lost:bytes} of events.", lost=recording.lost_bytes)
    if not recording.dumps:
        yield say("It has no thread dumps: enable jdk.ThreadDump.")


def _budgets(recording: Recording, name: str) -> Table:
    def share(part: str):  # type: ignore[no-untyped-def]
        return lambda one: getattr(one, f"{part}_ms") / one.wall_ms if one.wall_ms else None

    return TABLES.table(
        "budget",
        recording.budgets,
        name=f"{name}-budget",
        idle=share("idle"),
        running=share("running"),
        native=share("native"),
        network=share("socket"),
        files=share("file"),
        locks=share("lock"),
        others=share("park"),
        sleep=share("sleep"),
        unknown=share("unknown"),
    )


_TIME = Measure(
    lambda flame, total: say(
        "{label}: {took:ms} of {total:ms}", label=flame.label, took=flame.samples, total=total
    ),
    lambda took: say("{took:ms}", took=took),
)


def _time_by_call(recording: Recording) -> Figure:
    title = say("Time of consume threads by call")
    return calls_figure(
        recording.time_by_call,
        title,
        say(
            "Each box is a call, as wide as the time that consume threads spent in it. Its caller is above it, and the"
            " last box of a branch says what they did there. Red: network, violet: locks, brown: pools of connections,"
            " green: work, grey: other waits. Rest and time that nothing explains are left out."
        ),
        _TIME,
        headed=True,
    )


def _calls(recording: Recording, name: str) -> Iterator[AnyPart]:
    yield TABLES.table("calls", recording.calls, name=f"{name}-calls", peer=_peer, who=_who)
    peers = [one for one in recording.calls if one.host is not None][:_MOST_BARS]
    if len(peers) > 1:
        rows = [BarRow(label=_peer_and_kind(one), first=one.total_ms, second=one.p99_ms) for one in peers]
        title = say("Network calls by peer")
        yield Figure(
            draw=lambda write: bars(write, title, (say("together"), say("1 % above")), ("ms", "ms"), rows),
            caption=say("The peers with most time."),
        )


def _who(one: RecordedCalls | RecordedLock) -> Text | None:
    return grouped_names(one.thread_names) if one.thread_names else None


def _peer(one: RecordedCalls) -> Text | str:
    if one.host is not None:
        return say("{host} port {port}", host=one.host, port=str(one.port))
    return one.path or say("not told")


def _peer_and_kind(one: RecordedCalls) -> Text:
    return Text("{kind} {peer}", {"kind": word(one.kind), "peer": _peer(one)})


def _pauses(recording: Recording, name: str) -> Iterator[AnyPart]:
    yield TABLES.table("pauses", recording.pauses, name=f"{name}-pauses")
    points = steps(((one.at, one.ms) for one in recording.pauses), _PAUSE_STEP_S, None, None)
    if len(points) > 1:
        total = quantity(sum(one.ms for one in recording.pauses), "ms")
        series = [Series(label=say("pauses"), steps=points, total=total, unit="ms")]
        heap = _heap_steps(recording)
        if heap:
            last = quantity(recording.heap[-1][1], "bytes")
            series.append(Series(label=say("heap in use"), steps=heap, total=last, unit="bytes", kind="bar-2"))
        title = say("Pauses and heap over time")
        yield Figure(
            draw=lambda write: event_series(write, title, series),
            caption=say("Each line against its own largest value."),
        )


def _heap_steps(recording: Recording) -> list[Step]:
    begin = datetime.fromisoformat(recording.began_at)
    points = (((begin + timedelta(seconds=at)).isoformat(), float(used)) for at, used in recording.heap)
    return steps(points, _PAUSE_STEP_S, None, None)


def _facts(recording: Recording) -> Iterator[Text]:
    heap = recording.flags.get("MaxHeapSize")
    if heap is not None:
        memory = None if recording.container is None else recording.container.memory_bytes
        room = NOTHING if memory is None else say(", in a container of {memory:bytes}", memory=memory)
        yield say("The heap may grow to {heap:bytes} (-Xmx){room}.", heap=heap, room=room)
    yield from TABLES.lines("facts", recording)
