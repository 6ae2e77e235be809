"""Samples in order of time, of one JVM, each once."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field

from mqdiag.read.stacks.records import Sample, ThreadRecord

# threads that live as long as their JVM: their ids tell one JVM from another
ANCHORS = frozenset(
    {"VM Thread", "Reference Handler", "Finalizer", "Signal Dispatcher", "VM Periodic Task Thread"}
)
SAME_INSTANT_S = 0.005


@dataclass(slots=True)
class Moment:
    """A sample with its place in time."""

    sample: Sample
    uptime: float | None
    """`elapsed=` of the oldest thread: seconds since the JVM's start, exact to 10 ms"""
    clock: float | None
    """seconds of the date line or of the dump's own time; the date line has whole seconds only"""
    jvm: int = 0
    seconds: float | None = None
    """since the first sample of the series"""


@dataclass(slots=True, kw_only=True)
class Series:
    """The samples that are analysed."""

    moments: list[Moment]
    jvms: int = 1
    repeated: int = 0
    not_judged: str | None = None
    dropped_labels: list[str] = field(default_factory=list)

    @property
    def samples(self) -> list[Sample]:
        """The samples in order."""
        return [moment.sample for moment in self.moments]

    @property
    def seconds(self) -> float | None:
        """From the first to the last."""
        return self.moments[-1].seconds if self.moments else None


def make_series(samples: list[Sample]) -> Series:
    """Sort, take repetitions out, tell JVMs apart."""
    moments = [Moment(sample, _uptime(sample), _clock(sample)) for sample in samples]
    jvms = _tell_apart(moments)
    moments.sort(key=lambda moment: moment.jvm)
    ordered: list[Moment] = []
    repeated = 0
    for jvm in range(jvms):
        own = _in_order([moment for moment in moments if moment.jvm == jvm])
        kept: list[Moment] = []
        for moment in own:
            if any(_same(moment, other) for other in kept[-2:]):
                repeated += 1
            else:
                kept.append(moment)
        ordered += kept
    series = Series(moments=ordered, jvms=jvms, repeated=repeated)
    _set_seconds(ordered)
    if jvms > 1:
        series.not_judged = "mixed-jvms"
    elif len(ordered) == 1:
        series.not_judged = "identical-samples" if repeated else "one-sample"
    elif series.seconds is not None and series.seconds < 1.0:
        series.not_judged = "too-close"
    return series


def by_jvm(samples: list[Sample]) -> list[list[Sample]]:
    """The samples of each JVM, in the order in which they were given."""
    moments = [Moment(sample, _uptime(sample), _clock(sample)) for sample in samples]
    own: list[list[Sample]] = [[] for _ in range(_tell_apart(moments))] if samples else []
    for moment in moments:
        own[moment.jvm].append(moment.sample)
    return own


def _uptime(sample: Sample) -> float | None:
    return max((thread.elapsed_s for thread in sample.threads if thread.elapsed_s is not None), default=None)


def _clock(sample: Sample) -> float | None:
    text = sample.captured_at or sample.captured_local
    if text is None:
        return None
    try:
        moment = datetime.datetime.fromisoformat(_six_digits(text).replace("Z", "+00:00"))
    except ValueError:
        return None
    return moment.replace(tzinfo=moment.tzinfo or datetime.UTC).timestamp()


def _six_digits(text: str) -> str:
    """Nanoseconds are more than Python reads."""
    dot = text.find(".")
    if dot < 0:
        return text
    end = dot + 1
    while end < len(text) and text[end].isdigit():
        end += 1
    return text[: dot + 1] + text[dot + 1 : end][:6].ljust(6, "0") + text[end:]


def _in_order(moments: list[Moment]) -> list[Moment]:
    """By uptime when all have it, else by clock, else as given."""
    if all(moment.uptime is not None for moment in moments):
        return sorted(moments, key=lambda moment: moment.uptime or 0.0)
    if all(moment.clock is not None for moment in moments):
        return sorted(moments, key=lambda moment: moment.clock or 0.0)
    return moments


def _same(moment: Moment, other: Moment) -> bool:
    """The same dump given twice: nothing at all moved, the clocks least of all."""
    mine, theirs = moment.sample, other.sample
    if len(mine.threads) != len(theirs.threads) or mine.format != theirs.format:
        return False
    if moment.uptime is not None and other.uptime is not None:
        if abs(moment.uptime - other.uptime) > SAME_INSTANT_S:
            return False
    elif moment.clock != other.clock:
        return False
    return all(_same_thread(a, b) for a, b in zip(mine.threads, theirs.threads, strict=True))


def _same_thread(one: ThreadRecord, other: ThreadRecord) -> bool:
    return (
        one.name == other.name
        and one.tid == other.tid
        and one.cpu_ms == other.cpu_ms
        and one.stack.frames == other.stack.frames
        and one.addresses == other.addresses
    )


def _tell_apart(moments: list[Moment]) -> int:
    """Number the JVMs; gives how many there are."""
    faces: list[_Face] = []
    for moment in moments:
        face = _Face(moment)
        for number, known in enumerate(faces):
            if known.same_jvm(face):
                moment.jvm = number
                known.learn(face)
                break
        else:
            moment.jvm = len(faces)
            faces.append(face)
    return max(len(faces), 1)


class _Face:
    """What tells one JVM from another: ids of threads that live as long as it, process id, version, start time."""

    def __init__(self, moment: Moment) -> None:
        sample = moment.sample
        self.pid = sample.pid
        self.version = _version(sample.jvm)
        self.anchors: dict[str, tuple[str | None, int | None]] = {}
        self.ids: dict[int, tuple[str | None, str]] = {}
        for thread in sample.threads:
            if thread.name in ANCHORS and thread.tid is not None:
                self.anchors[thread.name] = (thread.tid, thread.nid)
            if thread.java_id is not None:
                self.ids[thread.java_id] = (thread.tid, thread.name)
        self.started = None if moment.uptime is None or moment.clock is None else moment.clock - moment.uptime

    def same_jvm(self, other: _Face) -> bool:
        """Whether two samples can be of one JVM; what one of them does not say is no contradiction."""
        if self.version and other.version and self.version != other.version:
            return False
        shared = self.anchors.keys() & other.anchors.keys()
        if shared:
            return all(self.anchors[name] == other.anchors[name] for name in shared)
        if self.pid is not None and other.pid is not None and self.pid != other.pid:
            return False
        common = self.ids.keys() & other.ids.keys()
        if not common:
            return not (self.ids and other.ids)
        differing = sum(
            1
            for java_id in common
            if (
                self.ids[java_id][0] and other.ids[java_id][0] and self.ids[java_id][0] != other.ids[java_id][0]
            )
            or self.ids[java_id][1] != other.ids[java_id][1]
        )
        return differing * 4 <= len(common)

    def learn(self, other: _Face) -> None:
        """Take over what a further sample of the same JVM says."""
        self.anchors.update(other.anchors)
        self.ids.update(other.ids)
        self.pid = self.pid if self.pid is not None else other.pid


def _version(jvm: str | None) -> str | None:
    """The version's numbers, which all forms of dump print: "17.0.15+6"."""
    if jvm is None:
        return None
    for word in jvm.replace("(", " ").replace(")", " ").split():
        if word[0].isdigit() and "-Bit" not in word and word[:2] not in ("64", "32"):
            return word.split("-")[0]
    return None


def _set_seconds(moments: list[Moment]) -> None:
    """Time since the first sample; of different JVMs only clocks can be compared."""
    if not moments:
        return
    one_jvm = len({moment.jvm for moment in moments}) == 1
    if one_jvm and all(moment.uptime is not None for moment in moments):
        first = moments[0].uptime or 0.0
        for moment in moments:
            moment.seconds = round((moment.uptime or 0.0) - first, 3)
    elif one_jvm and all(moment.clock is not None for moment in moments):
        begin = moments[0].clock or 0.0
        for moment in moments:
            moment.seconds = round((moment.clock or 0.0) - begin, 3)
