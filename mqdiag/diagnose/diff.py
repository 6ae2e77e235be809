"""Two pieces of evidence, or two saved reports, compared."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from mqdiag import __version__
from mqdiag.config import Settings
from mqdiag.diagnose.answer import answered
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.diagnose.judge import Diagnosis, unreadable
from mqdiag.diff.compare import compare
from mqdiag.errors import InputError
from mqdiag.findings import Report
from mqdiag.progress import Progress, Silent
from mqdiag.read.open.squeezed import unpacked_head
from mqdiag.read.report import is_report, read_report
from mqdiag.read.sniff import HEAD_BYTES
from mqdiag.text import say


def diagnose_diff(
    before: str | Path,
    after: str | Path,
    settings: Settings | None = None,
    *,
    progress: Progress | None = None,
) -> Diagnosis:
    """Compare two sides.

    A side is a saved report, or whatever `diagnose_incident` takes: a heap dump, thread dumps, a folder.

    Args:
        before: the earlier side.
        after: the later one.
        settings: expectations and thresholds, for what is not a saved report.
        progress: who listens.
    """
    settings = settings or Settings()
    progress = progress or Silent()
    sides = [_side(str(path), settings, progress) for path in (before, after)]
    crashes = tuple(crash for side in sides for crash in side.crashes)
    old, new = (side.report for side in sides)
    inputs = tuple(given for report in (old, new) for given in report.inputs)
    failed = tuple(failed for report in (old, new) for failed in report.failed)
    lost = [report for report in (old, new) if _nothing_read(report)]
    if lost:
        # One side alone compares with nothing: what it has is no news, and the run ends as one that read nothing.
        return Diagnosis(
            report=Report(
                mqdiag=__version__,
                inputs=tuple(given for report in lost for given in report.inputs),
                failed=failed,
            ),
            crashes=crashes,
        )
    progress.phase(say("comparing"))
    facts, findings = compare(old, new, (str(before), str(after)))
    regressed = {finding.fingerprint for finding in findings.regressions}
    report = Report(
        mqdiag=__version__,
        inputs=inputs,
        findings=tuple(
            # what explains a new finding may be no news itself
            msgspec.structs.replace(
                finding, caused_by=tuple(root for root in finding.caused_by if root in regressed)
            )
            for finding in findings.regressions
        ),
        failed=failed,
        checked=tuple(sorted({*old.checked} & {*new.checked})),
        rule_cards=tuple(
            card for card in new.rule_cards if any(one.rule == card.name for one in findings.regressions)
        ),
        diff=facts,
    )
    return Diagnosis(report=answered(report), crashes=crashes)


def _side(path: str, settings: Settings, progress: Progress) -> Diagnosis:
    try:
        if not os.path.isdir(path):
            with open(path, "rb") as file:
                head = file.read(HEAD_BYTES)
            if is_report(unpacked_head(head)):
                return Diagnosis(report=read_report(path))
    except OSError:
        pass  # told by what follows, in its own words
    except InputError as error:
        return Diagnosis(report=Report(mqdiag=__version__, inputs=(unreadable(path, "report", error),)))

    return diagnose_incident([path], settings, progress=progress)


def _nothing_read(report: Report) -> bool:
    return not any(given.was_read for given in report.inputs)
