"""A series of thread dumps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from mqdiag.config import Settings
from mqdiag.diagnose.judge import Diagnosis, judge, unreadable
from mqdiag.errors import InputError
from mqdiag.facts import Facts, Input
from mqdiag.progress import Progress, Silent
from mqdiag.read.stacks.cpu_times import CpuTimes, add_cpu_times
from mqdiag.read.stacks.reader import CPU_TIMES, ReadResult
from mqdiag.read.stacks.records import Sample
from mqdiag.read.stacks.series import read_series
from mqdiag.text import say
from mqdiag.threads.facts import stacks_facts

Results = list[tuple[str, ReadResult | InputError]]
"""each path, with what it holds, or why it holds nothing"""


def diagnose_stacks(
    paths: Iterable[str | Path],
    settings: Settings | None = None,
    *,
    progress: Progress | None = None,
) -> Diagnosis:
    """Diagnose the dumps of all paths as one series of each JVM; what cannot be read is said, the rest decides.

    Args:
        paths: files, each with one dump or many; "-" is standard input.
        settings: expectations and thresholds.
        progress: who listens.
    """
    settings = settings or Settings()
    progress = progress or Silent()
    return diagnose_results(read_paths(map(str, paths), settings, progress), settings, progress)


def read_paths(paths: Iterable[str], settings: Settings, progress: Progress) -> Results:
    """What each path holds, or why it holds nothing; arguments as for `diagnose_stacks`."""
    progress.phase(say("reading thread dumps"))
    names = list(paths)
    return list(zip(names, read_series(names, progress, settings.jobs), strict=True))


def diagnose_results(results: Results, settings: Settings, progress: Progress) -> Diagnosis:
    """Diagnose what was read, each JVM by itself, and forget its samples."""
    inputs: list[Input] = []
    by_source: dict[str, Input] = {}
    others: list[Input] = []
    samples: list[Sample] = []
    cpu_times: list[CpuTimes] = []
    for name, result in results:
        if isinstance(result, InputError):
            others.append(unreadable(name, "stacks", result))
            inputs.append(others[-1])
            continue
        first, *parts = result_inputs(result)
        if result.samples:
            by_source |= dict.fromkeys((sample.source for sample in result.samples), first)
        else:
            others.append(first)
        others += parts
        inputs += (first, *parts)
        samples += result.samples
        cpu_times += result.cpu_times
        result.samples.clear()
    if cpu_times:
        unused = unused_times(samples, cpu_times)
        inputs, others = [*inputs, *unused], [*others, *unused]
    progress.phase(say("comparing threads"))
    stacks = stacks_facts(samples) if samples else None
    if stacks is not None and stacks.jvms > 1:
        # Here, not above: few runs have dumps of several JVMs, and all others start without what joins them.
        from mqdiag.diagnose.jvms_apart import judge_jvms_apart

        return judge_jvms_apart(samples, by_source, others, settings)
    pid = next((sample.pid for sample in samples if sample.pid is not None), None)
    samples.clear()
    facts = Facts(inputs=tuple(inputs), stacks=stacks, pid=pid, expectations=settings.expectations)
    diagnosis = judge(facts, settings)
    findings = diagnosis.report.findings
    if len({found.fingerprint for found in findings}) < len(findings):
        # Here, not above: few series show a fault twice, such as two locks for which threads of one pool wait.
        from mqdiag.diagnose.merged import merged

        report = msgspec.structs.replace(diagnosis.report, findings=merged(findings))
        return Diagnosis(report=report, crashes=diagnosis.crashes)
    return diagnosis


def result_inputs(result: ReadResult) -> list[Input]:
    """The entry of a path, and one for each part of an archive that gave nothing."""
    if not result.samples:
        is_mixed = result.mixed is not None
        return [
            Input(
                path=result.path,
                kind="stacks",
                format=result.format,
                bytes=result.bytes,
                complete=not is_mixed,
                error=result.mixed,
                contradictory=is_mixed,
            ),
            *_parts(result),
        ]
    first = result.samples[0]
    own = [sample for sample in result.samples if sample.pasted is None]
    cut = next((sample for sample in own if not sample.complete), None)
    problem, stopped_at = result.ended_by, result.bytes if result.ended_by is not None else None
    problem = problem or result.mixed
    if problem is None and cut is not None:
        problem, stopped_at = cut.problem, cut.stopped_at_byte
    part = max(own, key=lambda sample: sample.threads_cut, default=None)
    if problem is None and part is not None and part.threads_cut:
        problem = say(
            "the lower frames of {lacking:count} of {shown:count} threads are missing, and no frame shows what these"
            " threads do",
            lacking=part.threads_cut,
            shown=len(part.threads),
        )
    unknown = sum(sample.unknown_headers for sample in own)
    if problem is None and unknown:
        problem = say(
            "{unknown:count} {unknown:header of a thread is|headers of threads are} missing or not understood",
            unknown=unknown,
        )
    entries = [
        Input(
            path=result.path,
            kind="stacks",
            format=result.format,
            bytes=result.bytes,
            captured_at=first.captured_at,
            captured_at_local=first.captured_local,
            complete=problem is None and cut is None,
            stopped_at_byte=stopped_at,
            problem=problem,
            pasted=len(result.samples) - len(own),
            contradictory=result.mixed is not None or any(sample.contradictory for sample in own),
        )
    ]
    return entries + _parts(result)


def _parts(result: ReadResult) -> list[Input]:
    return [
        Input(path=member, kind="stacks", complete=False, error=problem) for member, problem in result.errors
    ]


def unused_times(samples: Sequence[Sample], cpu_times: Sequence[CpuTimes]) -> list[Input]:
    """Add processor times to the dumps that they belong to; gives an entry for each file that belongs to none."""
    left = add_cpu_times(samples, cpu_times)
    return [
        Input(
            path=path,
            kind="stacks",
            format=CPU_TIMES,
            complete=False,
            error=say(
                "holds CPU times of threads, but no dump was given that they belong to: name both by one number, such"
                " as j1.log and proc1.tsv"
            ),
        )
        for path in dict.fromkeys(given.source for given in left)
    ]
