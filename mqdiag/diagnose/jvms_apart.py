"""Thread dumps of several JVMs: one series for each JVM, so that none is compared with another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mqdiag.config import Settings
from mqdiag.diagnose.joined import judge_processes
from mqdiag.diagnose.judge import Diagnosis
from mqdiag.diagnose.processes import tell_processes
from mqdiag.diagnose.sort.kind import OfProcess
from mqdiag.facts import Input
from mqdiag.read.stacks.records import Sample
from mqdiag.threads.facts import stacks_facts
from mqdiag.threads.series import by_jvm


def each_jvm(samples: Sequence[Sample], inputs: Mapping[str, Input]) -> list[OfProcess]:
    """The series of each JVM with the inputs that it was read from.

    Args:
        samples: of any number of JVMs, in the order in which they were given.
        inputs: by the source of their samples.
    """
    return [
        OfProcess(
            inputs=tuple(dict.fromkeys(inputs[sample.source] for sample in own)),
            stacks=stacks_facts(own),
            pid=next((sample.pid for sample in own if sample.pid is not None), None),
        )
        for own in by_jvm(list(samples))
    ]


def judge_jvms_apart(
    samples: Sequence[Sample], inputs: Mapping[str, Input], others: Sequence[Input], settings: Settings
) -> Diagnosis:
    """Judge each JVM by itself, as `mqdiag diagnose` does.

    Args:
        samples: of several JVMs, in the order in which they were given.
        inputs: by the source of their samples.
        others: inputs that gave no sample.
        settings: expectations and thresholds.
    """
    return judge_processes(tell_processes(each_jvm(samples, inputs)), others, {}, settings)
