"""Thread dumps, wherever they stand: files of their own, or SIGQUIT output in the middle of a log."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from mqdiag.config import Settings
from mqdiag.diagnose.judge import unreadable
from mqdiag.diagnose.sort.kind import Collected, EvidenceKind
from mqdiag.diagnose.sort.piece import Piece
from mqdiag.diagnose.stacks import result_inputs, unused_times
from mqdiag.errors import InputError
from mqdiag.facts import Input
from mqdiag.progress import Progress
from mqdiag.read.stacks.cpu_times import CpuTimes
from mqdiag.read.stacks.patterns import is_dump_file
from mqdiag.read.stacks.reader import MARKS, is_of_a_tool
from mqdiag.read.stacks.records import Sample
from mqdiag.read.stacks.series import read_series


def _recognise(piece: Piece) -> bool:
    return piece.is_text and (
        is_dump_file(piece.inner_head) or piece.holds(MARKS) or is_of_a_tool(piece.inner_head)
    )


def _read(pieces: Sequence[Piece], settings: Settings, progress: Progress) -> Collected:
    found = Collected()
    samples: list[Sample] = []
    cpu_times: list[CpuTimes] = []
    inputs: dict[str, Input] = {}
    results = read_series([piece.path for piece in pieces], progress, settings.jobs)
    for piece, result in zip(pieces, results, strict=True):
        if isinstance(result, InputError):
            found.inputs.append(unreadable(piece.name, "stacks", result))
            continue
        first, *parts = result_inputs(result)
        inputs[piece.name] = msgspec.structs.replace(first, path=piece.name)
        found.inputs += parts
        for sample in result.samples:
            sample.source = piece.name
        for times in result.cpu_times:
            times.source = piece.name
        samples += result.samples
        cpu_times += result.cpu_times
        if not result.samples:
            found.inputs.append(inputs[piece.name])
    if cpu_times:
        # dumps may be there twice, with and without them: a folder that has them has more, and nothing is lost
        found.inputs += [
            msgspec.structs.replace(one, error=None, skipped=one.error)
            for one in unused_times(samples, cpu_times)
        ]
    found.samples, found.sample_inputs = samples, inputs
    return found


KIND = EvidenceKind(name="stacks", recognise=_recognise, read=_read)
