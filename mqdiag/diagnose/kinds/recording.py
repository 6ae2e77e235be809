"""Recordings of Java Flight Recorder, with the thread dumps inside."""

from __future__ import annotations

from collections.abc import Sequence

from mqdiag.config import Settings
from mqdiag.diagnose.judge import unreadable
from mqdiag.diagnose.sort.kind import Collected, EvidenceKind, within_budget
from mqdiag.diagnose.sort.piece import Piece
from mqdiag.errors import InputError
from mqdiag.facts import Input, RecordingsFacts
from mqdiag.facts.recordings import Recording
from mqdiag.progress import Progress
from mqdiag.read.sniff import Content
from mqdiag.text import say

FORMAT = "jfr"


def _recognise(piece: Piece) -> bool:
    return piece.content is Content.RECORDING


def _read(pieces: Sequence[Piece], settings: Settings, progress: Progress) -> Collected:
    # Here, not above: other evidence is read without numpy.
    from mqdiag.kernel.ahead import compile_ahead

    compile_ahead(progress, "recording")
    found = Collected()
    recordings: list[Recording] = []
    for piece in within_budget(pieces, "recording", progress, found):
        try:
            given, recording = _one(piece, progress, found)
        except InputError as error:
            found.inputs.append(unreadable(piece.name, "recording", error))
            continue
        recordings.append(recording)
        if recording.dumps:
            found.sample_inputs[piece.name] = given
        else:
            found.inputs.append(given)
    if recordings:
        recordings.sort(key=lambda one: one.began_at)
        found.shared["recordings"] = RecordingsFacts(recordings=tuple(recordings))
    return found


def _one(piece: Piece, progress: Progress, found: Collected) -> tuple[Input, Recording]:
    """A recording with its input; its thread dumps go to what was found.

    Raises:
        InputError: nothing of it can be read.
    """
    from mqdiag.read.jfr.header import NoChunkError
    from mqdiag.read.jfr.open import opened
    from mqdiag.recordings.collect import read_recording

    with opened(piece.path, progress.check) as source:
        try:
            read = read_recording(piece.name, source.data, progress.check)
        except NoChunkError as error:
            raise InputError(
                piece.name,
                say("the first chunk of this flight recording cannot be read: {reason}", reason=error.reason),
                hint=say("take it again: jcmd PID JFR.dump filename=/path/recording.jfr"),
                offset=0,
            ) from None
    problem = read.problems[0] if read.problems else None
    if problem is not None and not read.facts.events:
        raise InputError(
            piece.name,
            say(
                "no event of this flight recording can be read: {reason}",
                reason=source.problem or problem.reason,
            ),
            hint=say("copy it again, whole, or take it again: jcmd PID JFR.dump filename=/path/recording.jfr"),
            offset=problem.offset,
        )
    found.samples += read.dumps
    given = Input(
        path=piece.name,
        kind="recording",
        format=FORMAT if source.packing is None else f"{FORMAT}, {source.packing}",
        bytes=piece.size_bytes,
        captured_at=read.facts.ended_at,
        complete=problem is None and source.problem is None,
        stopped_at_byte=None if problem is None else problem.offset,
        problem=source.problem if problem is None else problem.reason,
        contradictory=read.contradictory,
    )
    return given, read.facts


KIND = EvidenceKind(name="recording", recognise=_recognise, read=_read, sole=True)
