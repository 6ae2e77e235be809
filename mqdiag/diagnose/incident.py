"""Everything that was kept of an incident: files told by content, read side by side, judged as one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from mqdiag.config import Settings
from mqdiag.diagnose.capture_times import asked_at, dated, with_zone
from mqdiag.diagnose.joined import judge_processes
from mqdiag.diagnose.judge import Diagnosis
from mqdiag.diagnose.jvms_apart import each_jvm
from mqdiag.diagnose.kinds.capture import with_lost
from mqdiag.diagnose.processes import Process, tell_processes
from mqdiag.diagnose.readers_ahead import readers_ahead
from mqdiag.diagnose.sort.kind import Captured, Collected, EvidenceKind, all_kinds
from mqdiag.diagnose.sort.piece import Piece
from mqdiag.diagnose.sort.walk import Walk
from mqdiag.errors import Lack
from mqdiag.facts import Facts, Input, ResourcesFacts
from mqdiag.files import temporary_folder
from mqdiag.progress import Beside, Progress, Silent
from mqdiag.read.foreign_form import is_unread_evidence
from mqdiag.read.open.to_files import Budget
from mqdiag.read.stacks.records import Sample
from mqdiag.text import NOTHING, Text, say

EMPTY = say("is an empty folder; give one with heap dumps, thread dumps, flight recordings or logs")
MOST_NAMED = 5
"""files without evidence that a message names"""
UNKNOWN_TEXT = say("is text, but no log, thread dump, mqadmin output or crash report")
_PART = re.compile("[/!]")
"""what ends the name of a folder or an archive in a path"""
_HIDES_EVIDENCE = say(
    "holds lines of a log, a dump or an archive in a form that is not read; save what is in it as files or as text"
)


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was read of an incident, and nothing that rules have said of it."""

    processes: tuple[Process, ...] = ()
    inputs: tuple[Input, ...] = ()
    """files that are of no process, and those that gave nothing"""
    shared: Facts = Facts()
    """logs and other evidence of no one process"""


def diagnose_incident(
    paths: Iterable[str | Path],
    settings: Settings | None = None,
    *,
    progress: Progress | None = None,
    names: Mapping[str, str] | None = None,
) -> Diagnosis:
    """Diagnose all evidence under the paths; what cannot be read is said, the rest decides.

    Args:
        paths: files, folders and archives, mixed in any way.
        settings: expectations, thresholds and the heap's limit.
        progress: who listens.
        names: what the user called a path, where that is not the path.
    """
    settings = settings or Settings()
    evidence, crashes = read_incident(paths, settings, progress=progress, names=names)
    diagnosis = judge_incident(evidence, settings)
    return msgspec.structs.replace(diagnosis, crashes=(*diagnosis.crashes, *crashes))


def judge_incident(evidence: Evidence, settings: Settings) -> Diagnosis:
    """Run the rules over what was read of an incident."""
    given = evidence.shared
    shared = {name: value for name in given.__struct_fields__ if (value := getattr(given, name)) is not None}
    own = {"inputs", "expectations"}  # these stand beside the facts
    return judge_processes(
        evidence.processes,
        evidence.inputs,
        {name: value for name, value in shared.items() if name not in own},
        settings,
    )


def read_incident(
    paths: Iterable[str | Path],
    settings: Settings,
    *,
    progress: Progress | None = None,
    names: Mapping[str, str] | None = None,
) -> tuple[Evidence, tuple[BaseException, ...]]:
    """Read all evidence under the paths; of the settings the heap's limit, the zone and a team's statements count.

    Args:
        paths: files, folders and archives, mixed in any way.
        settings: of the diagnosis.
        progress: who listens.
        names: what the user called a path, where that is not the path.

    Returns:
        The evidence, and faults of readers, which the inputs tell too.
    """
    progress = progress or Silent()
    given = [str(path) for path in paths]
    with temporary_folder() as folder, readers_ahead(given, settings.jobs):
        progress.phase(say("sorting files"))
        kinds = all_kinds()
        sorted_pieces, others, cut = _sort(given, kinds, Budget(Path(folder), check=progress.check), names)
        collected = _read(sorted_pieces, settings, progress)
    progress.phase(say("joining evidence"))
    shared: dict[str, object] = {}
    shared_inputs: list[Input] = []
    of_processes = []
    captures: list[Captured] = []
    samples: list[Sample] = []
    sample_inputs: dict[str, Input] = {}
    # what a saved report says of logs gives way to the logs themselves
    for part in sorted(collected, key=lambda part: any(own.saved for own in part.processes), reverse=True):
        shared |= part.shared
        shared_inputs += part.inputs
        of_processes += part.processes
        captures += part.captures
        samples += part.samples
        sample_inputs |= part.sample_inputs
    of_processes += each_jvm(samples, sample_inputs)
    shared_inputs = [_of_cut(one, cut) for one in shared_inputs]
    of_processes = [
        msgspec.structs.replace(one, inputs=tuple(_of_cut(given, cut) for given in one.inputs))
        for one in of_processes
    ]
    by_reader = [*shared_inputs, *(given for one in of_processes for given in one.inputs)]
    told = {(one.path, cut.get(one.path)) for one in by_reader if one.skipped is None}
    inputs = [*shared_inputs, *(one for one in others if (one.path, one.error) not in told)]
    if captures:
        taken = [given for one in of_processes for given in one.inputs]
        inputs = with_lost(inputs, captures, {one.path for one in (*inputs, *taken)})
    if not of_processes and not shared:
        inputs = _without_evidence([(names or {}).get(path, path) for path in given], inputs)
    of_processes = [with_zone(one, captures) for one in of_processes]
    if isinstance(resources := shared.get("resources"), ResourcesFacts):
        shared["resources"] = dated(resources, captures)
    if "admin" in shared:
        shared["asked_at"] = asked_at(inputs, captures)
    evidence = Evidence(
        processes=tuple(tell_processes(of_processes, captures)),
        inputs=tuple(inputs),
        shared=msgspec.structs.replace(Facts(), **shared),
    )
    return evidence, tuple(crash for part in collected for crash in part.crashes)


def _of_cut(given: Input, cut: Mapping[str, Text]) -> Input:
    """What was read of packed data that is cut or damaged: one incomplete input, and no second one with an error.

    Args:
        given: what a reader says of it.
        cut: why the rest could not be unpacked, by path.
    """
    why = cut.get(given.path)
    if why is None or not given.was_read:
        return given
    return msgspec.structs.replace(given, complete=False, problem=why)


def _without_evidence(given: list[str], inputs: list[Input]) -> list[Input]:
    """An error for each path that was given, where nothing under any of them is evidence."""
    told: list[Input] = []
    below = _Below(given)
    for one in inputs:
        below.add(one.path, len(told))
        told.append(one)
    for name, places in below.places.items():
        own = [told[place] for place in places]
        if any(one.error is not None for one in own):
            continue
        if len(own) == 1 and own[0].path == name:
            lost = msgspec.structs.replace(own[0], complete=False, error=own[0].skipped, skipped=None)
            told[places[0]] = lost
        else:
            reason = EMPTY
            if own:
                reason = say(
                    "holds no evidence of a known kind, such as heap dumps, thread dumps or logs; files left alone:"
                    " {files:count} ({first}{more}); --format json lists each with its reason",
                    files=len(own),
                    first=tuple(one.path for one in own[:MOST_NAMED]),
                    more=say(" and others") if len(own) > MOST_NAMED else NOTHING,
                )
            below.add(name, len(told))
            told.append(Input(path=name, complete=False, error=reason))
    return told


class _Below:
    """Which inputs are one of the given paths or below it; each input is looked at once, however many paths there are.

    Args:
        given: files, folders and archives.
    """

    def __init__(self, given: Iterable[str]) -> None:
        self.places: dict[str, list[int]] = {name: [] for name in given}
        """places of the inputs by given path"""
        self._starts: dict[str, list[str]] = {}
        for name in self.places:
            for start in (name.rstrip("/") + "/", name + "!"):
                self._starts.setdefault(start, []).append(name)

    def add(self, path: str, place: int) -> None:
        """Take the path of an input and its place in their list."""
        ends = (found.end() for found in _PART.finditer(path))
        above = [name for end in ends for name in self._starts.get(path[:end], ())]
        for name in dict.fromkeys((path, *above)):
            if name in self.places:
                self.places[name].append(place)


def _sort(
    paths: Iterable[str | Path],
    kinds: tuple[EvidenceKind, ...],
    budget: Budget,
    names: Mapping[str, str] | None,
) -> tuple[dict[EvidenceKind, list[Piece]], list[Input], dict[str, Text]]:
    """Pieces by kind, the files that are of none, and why the beginning of a packed one is all there is, by path."""
    walk = Walk(
        budget,
        lambda folder: any(kind.is_folder(folder) for kind in kinds),
        names,
        lambda member: any(kind.keeps(member) for kind in kinds),
    )
    by_kind: dict[EvidenceKind, list[Piece]] = {kind: [] for kind in kinds}
    others = []
    for found in walk.pieces(paths):
        if isinstance(found, Input):
            others.append(found)
            continue
        try:
            fitting = [kind for kind in kinds if found.only in (None, kind.name) and kind.recognise(found)]
        except OSError as error:
            others.append(
                Input(
                    path=found.name,
                    complete=False,
                    error=say("cannot be read: {strerror}", strerror=str(error.strerror or error)),
                )
            )
            continue
        for kind in [kind for kind in fitting if kind.sole and not kind.shares(found)] or fitting:
            by_kind[kind].append(found.trimmed())
        if not fitting:
            fitting = [kind for kind in kinds if kind.takes_rest(found)]
            for kind in fitting:
                by_kind[kind].append(found.trimmed())
        if not fitting:
            others.append(_not_understood(found))
    return {kind: pieces for kind, pieces in by_kind.items() if pieces}, others, walk.cut


def _not_understood(piece: Piece) -> Input:
    """A text that no reader takes, which may hold evidence all the same."""
    if piece.hides_evidence:
        return Input(
            path=piece.name, bytes=piece.size_bytes, complete=False, error=_HIDES_EVIDENCE, lack="reader"
        )
    if is_unread_evidence(piece.name, piece.inner_head):
        return Input(path=piece.name, bytes=piece.size_bytes, complete=False, error=UNKNOWN_TEXT)
    return Input(path=piece.name, bytes=piece.size_bytes, skipped=UNKNOWN_TEXT)


def _read(
    pieces: Mapping[EvidenceKind, list[Piece]], settings: Settings, progress: Progress
) -> list[Collected]:
    """All kinds side by side: the walk over a heap dump releases the GIL, text is read meanwhile."""
    with ThreadPoolExecutor(max(len(pieces), 1)) as pool:
        # One line of progress has room for one: that of the first kind, the heap dumps if there are any.
        listeners = (progress, *(Beside(progress) for _ in pieces))
        running = [
            pool.submit(_read_kind, kind, own, settings, listener)
            for (kind, own), listener in zip(pieces.items(), listeners, strict=False)
        ]
        return [work.result() for work in running]


def _read_kind(
    kind: EvidenceKind, pieces: Sequence[Piece], settings: Settings, progress: Progress
) -> Collected:
    """The pieces of a kind; one that its reader fails on is told, and the others are read without it."""
    try:
        return kind.read(pieces, settings, progress)
    except Exception as error:
        if len(pieces) == 1:
            return Collected(inputs=[_failed(kind, pieces[0], error)], crashes=[error])
    alone = [(piece, _read_kind(kind, [piece], settings, progress)) for piece in pieces]
    bad = [one for _, one in alone if one.crashes]
    rest = [piece for piece, one in alone if not one.crashes]
    if not bad:
        # it fails on none of them, but on all together: what each says by itself is better than nothing
        found = Collected()
        for _, one in alone:
            found.inputs += one.inputs
            found.processes += one.processes
            found.shared |= one.shared
            found.captures += one.captures
            found.samples += one.samples
            found.sample_inputs |= one.sample_inputs
        return found
    found = _read_kind(kind, rest, settings, progress) if rest else Collected()
    found.inputs += [given for one in bad for given in one.inputs]
    found.crashes += [crash for one in bad for crash in one.crashes]
    return found


def _failed(kind: EvidenceKind, piece: Piece, error: Exception) -> Input:
    lack: Lack | None = None
    if isinstance(error, MemoryError):
        lack = "memory"
        what = say("needs more memory than there is; try a machine with more")
    else:
        what = say(
            "mqdiag failed on it, which is a fault of mqdiag: {kind}: {error}",
            kind=type(error).__name__,
            error=str(error),
        )
    return Input(path=piece.name, kind=kind.name, complete=False, error=what, lack=lack)
