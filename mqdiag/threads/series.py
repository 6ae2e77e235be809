"""Samples in order of time, by JVM, each once."""

from __future__ import annotations

import datetime
from itertools import pairwise

import msgspec

from mqdiag.facts.vocabulary import NotJudged
from mqdiag.read.stacks.records import Sample, ThreadRecord
from mqdiag.threads.measured_limits import LEAST_SERIES_S, SAME_INSTANT_S

# threads that live as long as their JVM, so their ids identify it
ANCHORS = frozenset(
    {"VM Thread", "Reference Handler", "Finalizer", "Signal Dispatcher", "VM Periodic Task Thread"}
)


class Moment(msgspec.Struct):
    """A sample with its place in time."""

    sample: Sample
    uptime: float | None
    """`elapsed=` of the oldest thread: seconds since the start of the JVM, to 10 ms"""
    clock: float | None
    """seconds of the date line, which has whole seconds only, or of the dump's own time"""
    jvm: int = 0
    seconds: float | None = None
    """since the first sample of the series"""
    jumped_s: float | None = None
    """how much further the clock went on than the uptime since the sample before, of the same JVM"""


class Series(msgspec.Struct, kw_only=True):
    """The samples that are analysed."""

    moments: list[Moment]
    jvms: int = 1
    repeated: int = 0
    cut: int = 0
    """cut samples at the end, which are left out"""
    not_judged: NotJudged | None = None

    @property
    def samples(self) -> list[Sample]:
        """The samples in order."""
        return [moment.sample for moment in self.moments]

    @property
    def seconds(self) -> float | None:
        """From the first to the last."""
        return self.moments[-1].seconds if self.moments else None


def make_series(samples: list[Sample]) -> Series:
    """Sort the samples, leave repeated ones out, and number the JVMs."""
    moments = [Moment(sample, _uptime(sample), _clock(sample)) for sample in samples]
    jvms = _number_jvms(moments)
    moments.sort(key=lambda moment: moment.jvm)
    _bring_local_clocks_in_line(moments)
    ordered: list[Moment] = []
    repeated = cut = 0
    for jvm in range(jvms):
        own = _in_order([moment for moment in moments if moment.jvm == jvm])
        kept: list[Moment] = []
        for moment in own:
            if any(_same(moment, other) for other in kept[-2:]):
                repeated += 1
            else:
                kept.append(moment)
        whole = _without_cut(kept)
        cut += len(kept) - len(whole)
        ordered += whole
    series = Series(moments=ordered, jvms=jvms, repeated=repeated, cut=cut)
    _set_seconds(ordered)
    _set_jumps(ordered)
    if jvms > 1:
        series.not_judged = "mixed-jvms"
    elif len(ordered) == 1:
        series.not_judged = "identical-samples" if repeated else "one-sample"
    elif series.seconds is not None and series.seconds < LEAST_SERIES_S:
        series.not_judged = "too-close"
    return series


def by_jvm(samples: list[Sample]) -> list[list[Sample]]:
    """The samples of each JVM, in the order in which they were given."""
    moments = [Moment(sample, _uptime(sample), _clock(sample)) for sample in samples]
    own: list[list[Sample]] = [[] for _ in range(_number_jvms(moments))] if samples else []
    for moment in moments:
        own[moment.jvm].append(moment.sample)
    return own


def _uptime(sample: Sample) -> float | None:
    return max([thread.elapsed_s for thread in sample.threads if thread.elapsed_s is not None], default=None)


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
    """Cut nanoseconds to the microseconds that Python reads."""
    dot = text.find(".")
    if dot < 0:
        return text
    end = dot + 1
    while end < len(text) and text[end].isdigit():
        end += 1
    return text[: dot + 1] + text[dot + 1 : end][:6].ljust(6, "0") + text[end:]


def _bring_local_clocks_in_line(moments: list[Moment]) -> None:
    """Shift local times by the zone of the JVM's machine, where other samples say their zone.

    jstack prints local time without a zone, Thread.dump_to_file prints UTC. Zones differ by quarters of an hour, and
    the samples of one series are nearer together than that.
    """
    zoned = [moment.clock for moment in moments if moment.clock is not None and moment.sample.captured_at]
    local = [moment for moment in moments if moment.clock is not None and not moment.sample.captured_at]
    if not zoned or not local:
        return
    from statistics import median  # takes more time to import than to use

    shift_s = 900 * round((median(moment.clock or 0.0 for moment in local) - median(zoned)) / 900)
    for moment in local:
        moment.clock = (moment.clock or 0.0) - shift_s


def _without_cut(moments: list[Moment]) -> list[Moment]:
    """Leave out samples that are cut, where two whole ones are left, and the last ones while they are cut.

    A thread that is missing there need not have ended. If all samples are cut, as those of a hand-made excerpt are,
    they all count.
    """
    whole = [moment for moment in moments if moment.sample.complete]
    if len(whole) > 1:
        return whole
    last_whole = max((index for index, moment in enumerate(moments) if moment.sample.complete), default=None)
    return moments if last_whole is None else moments[: last_whole + 1]


def _in_order(moments: list[Moment]) -> list[Moment]:
    """By uptime if all have it, else by clock, else as given."""
    if all(moment.uptime is not None for moment in moments):
        return sorted(moments, key=lambda moment: moment.uptime or 0.0)
    if all(moment.clock is not None for moment in moments):
        return sorted(moments, key=lambda moment: moment.clock or 0.0)
    return moments


def _same(moment: Moment, other: Moment) -> bool:
    """Whether it is the same dump given twice: nothing differs, not even the clocks."""
    mine, theirs = moment.sample, other.sample
    if len(mine.threads) != len(theirs.threads) or mine.format != theirs.format:
        return False
    if moment.uptime is not None and other.uptime is not None:
        if abs(moment.uptime - other.uptime) > SAME_INSTANT_S:
            return False
    elif moment.clock != other.clock:
        return False
    elif moment.clock is None and mine.source == theirs.source:
        # one console log has each dump once, however equal two of them are
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


def _number_jvms(moments: list[Moment]) -> int:
    """Give each sample the number of its JVM; returns how many JVMs there are."""
    identities: list[_SampleIdentity] = []
    for moment in moments:
        identity = _SampleIdentity(moment)
        for number, known in enumerate(identities):
            if known.same_jvm(identity):
                moment.jvm = number
                known.learn(identity)
                break
        else:
            moment.jvm = len(identities)
            identities.append(identity)
    return max(len(identities), 1)


class _SampleIdentity:
    """What identifies a JVM: ids of threads that live as long as it, process id, version and start time."""

    def __init__(self, moment: Moment) -> None:
        sample = moment.sample
        self.pasted = sample.pasted is not None
        """taken from a paste, so that nobody knows its JVM"""
        self.pid = sample.pid
        self.version = _version(sample.jvm)
        self.anchors = {
            thread.name: (thread.tid, thread.nid)
            for thread in sample.threads
            if thread.name in ANCHORS and thread.tid is not None
        }
        self.ids = {thread.java_id: thread for thread in sample.threads if thread.java_id is not None}
        self.started = None if moment.uptime is None or moment.clock is None else moment.clock - moment.uptime

    def same_jvm(self, other: _SampleIdentity) -> bool:
        """Whether two samples can be of one JVM; a value that one of them lacks is no contradiction."""
        if self.pasted is not other.pasted:
            return False
        if self.version and other.version and self.version != other.version:
            return False
        shared = self.anchors.keys() & other.anchors.keys()
        if shared:
            return all(self.anchors[name] == other.anchors[name] for name in shared)
        if self.pid is not None and other.pid is not None and self.pid != other.pid:
            return False
        common = differing = 0
        theirs = other.ids
        for java_id, one in self.ids.items():
            same_id = theirs.get(java_id)
            if same_id is not None:
                common += 1
                differing += one.name != same_id.name or bool(
                    one.tid and same_id.tid and one.tid != same_id.tid
                )
        if not common:
            return not (self.ids and theirs)
        return differing * 4 <= common

    def learn(self, other: _SampleIdentity) -> None:
        """Add what another sample of the same JVM shows."""
        self.anchors.update(other.anchors)
        self.ids.update(other.ids)
        self.pid = self.pid if self.pid is not None else other.pid


def _version(jvm: str | None) -> str | None:
    """The numbers of the version, which all forms of dumps print: "17.0.15+6"."""
    if jvm is None:
        return None
    for word in jvm.replace("(", " ").replace(")", " ").split():
        if word[0].isdigit() and "-Bit" not in word and word[:2] not in ("64", "32"):
            return word.split("-")[0]
    return None


def _set_seconds(moments: list[Moment]) -> None:
    """Set the time since the first sample; it is unknown if the samples are of several JVMs."""
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


def _set_jumps(moments: list[Moment]) -> None:
    """A date line has whole seconds, so a second and more is no jump yet; rules say from where on it is one."""
    for before, moment in pairwise(moments):
        own = (before.clock, before.uptime, moment.clock, moment.uptime)
        if before.jvm == moment.jvm and None not in own:
            clock_0, uptime_0, clock, uptime = (number or 0.0 for number in own)
            moment.jumped_s = round((clock - clock_0) - (uptime - uptime_0), 1)
