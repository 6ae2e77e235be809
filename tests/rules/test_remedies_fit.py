"""No advice contradicts what the same report knows: one loop over all thread dumps of the fixtures."""

from __future__ import annotations

import re
from pathlib import Path

from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.facts import StacksFacts
from mqdiag.findings import Finding
from mqdiag.language import english
from tests.accuracy.public.truth import PUBLIC, cases
from tests.folded import folded
from tests.layers import NIGHTLY

STACKS = Path(__file__).parents[2] / "fixtures" / "stacks"
FOREIGN = {"pool", "other", "jvm", "virtual", "virtual-carrier"}
"""roles of threads in a JVM without RocketMQ"""
OF_CONSUMERS = re.compile(
    r"consumeThread|consumeTimeout|pullThreshold|(?<!in a listener return )RECONSUME_LATER"
)
OF_SIZE = re.compile(r"maxActive|maximumPoolSize|maxPoolSize|maxTotal|as large as the number of threads")
EVIDENCE = [
    *([path] for path in sorted(STACKS.glob("*/series.tar.gz"))),
    *(
        [PUBLIC / case.name / name for name in case.truth.command[1:]]
        for case in cases()
        if case.truth.command[0] == "stacks" and case.truth.command[1:] and "-" not in case.truth.command[1][:1]
    ),
]


@folded("paths", EVIDENCE, lambda paths: paths[0].parent.name, one_in=50, rest=NIGHTLY)
def test_no_advice_contradicts_the_report(paths: list[Path]) -> None:
    report = diagnose_stacks([path for path in paths if path.exists()]).report
    stacks = report.stacks
    if stacks is None:
        return
    for finding in report.findings:
        for words in map(english(), finding.remedy):
            assert not _contradicts(words, finding, stacks), f"{finding.rule}/{finding.cause}: {words}"


def _contradicts(words: str, finding: Finding, stacks: StacksFacts) -> bool:
    versions = (re.search(r"VM \((\d\d)[.+]", sample.jvm or "") for sample in stacks.series)
    newest = max((int(found[1]) for found in versions if found), default=0)
    without_rocketmq = FOREIGN.issuperset(thread.role for thread in stacks.threads)
    return bool(
        (without_rocketmq and OF_CONSUMERS.search(words))
        or (newest >= 24 and "JDK 24 or later" in words and not _is_jdk_8(stacks))
        or (finding.cause == "connection-leak" and OF_SIZE.search(words))
    )


def _is_jdk_8(stacks: StacksFacts) -> bool:
    """HotSpot of JDK 8 calls itself 25.x."""
    return any("VM (25." in (sample.jvm or "") and "-b" in (sample.jvm or "") for sample in stacks.series)
