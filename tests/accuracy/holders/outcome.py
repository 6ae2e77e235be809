"""What mqdiag says of a program's dump, and whether that is right."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Literal

import msgspec

from mqdiag.cli import run
from tests.accuracy.holders.truth import RIG, Case, Severity

FIRST_RUN = RIG / "holders" / "first_run.json"
LEVELS: tuple[Severity, ...] = ("info", "warning", "error")
INSIDES = (
    "ClassLoader.classes",
    "elementData",
    "java.util.HashMap.",
    "ConcurrentHashMap.table",
    "java.lang.Thread.",
    "UnboundedLocalCache",
    "LocalCache.segments",
    "meterMap",
    "_children",
)
"""what nobody looks for: it must not stand in a headline"""

Verdict = Literal["right", "partly", "missed", "wrong"]
VERDICTS: tuple[Verdict, ...] = ("right", "partly", "missed", "wrong")


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """One finding."""

    rule: str
    severity: Severity
    title: str
    explanation: tuple[str, ...] = ()
    remedy: tuple[str, ...] = ()

    @property
    def level(self) -> int:
        """0 for info, 2 for error."""
        return LEVELS.index(self.severity)


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """The exit code and all findings."""

    exit: int
    findings: tuple[Said, ...]


def outcome_of(case: Case) -> Outcome:
    """Run `mqdiag heap` in this process.

    Raises:
        RuntimeError: the dump is not there, or mqdiag wrote no report.
    """
    if case.dump is None:
        raise RuntimeError(f"{case.name}: no dump")
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        code = run(["heap", str(case.dump), "--format", "json", "--output", str(report)])
        if not report.exists():
            raise RuntimeError(f"{case.name}: mqdiag left with exit code {code} and without a report")
        said = msgspec.json.decode(report.read_bytes())
    return Outcome(exit=code, findings=msgspec.convert(said["findings"], tuple[Said, ...]))


def verdict_of(case: Case, outcome: Outcome) -> Verdict:
    """Whether the outcome is right, by the truth alone.

    wrong: an error names something else, or a headline names the inside of a library, or it is too severe.
    partly: not all holders are named, or a word is missing that an expert would say.
    """
    accused = [said for said in outcome.findings if said.level >= 1]
    worst = max((said.level for said in outcome.findings), default=0)
    if worst > LEVELS.index(case.most):
        return "wrong"
    if any(word in said.title for said in accused for word in (*INSIDES, *case.never)):
        return "wrong"
    named = [leak for leak in case.leaks if _named(leak, accused, LEVELS.index(case.severity))]
    others = [said for said in accused if said.level == 2 and said.rule == "heap-held-by-application"]
    if case.leaks and any(not _named(leak, [one], 0) for one in others for leak in [_any_of(case)]):
        return "wrong"
    if case.leaks and not named:
        return "missed"
    told = " ".join(" ".join((said.title, *said.explanation, *said.remedy)) for said in outcome.findings)
    complete = len(named) == len(case.leaks) and all(word in told for word in case.says)
    complete &= case.exit is None or case.exit == outcome.exit
    return "right" if complete else "partly" if case.leaks or outcome.exit == case.exit else "missed"


def _any_of(case: Case) -> str:
    return "|".join(case.leaks)


def _named(leak: str, findings: list[Said], least: int) -> bool:
    return any(name in said.title for said in findings if said.level >= least for name in leak.split("|"))


def first_outcomes() -> dict[str, Outcome]:
    """By case: what mqdiag said before anything was changed for these programs."""
    return msgspec.json.decode(FIRST_RUN.read_bytes(), type=dict[str, Outcome]) if FIRST_RUN.exists() else {}


def keep_first(outcomes: dict[str, Outcome]) -> None:
    """Write down the first outcomes; later ones never take their place."""
    kept = {name: _short(outcome) for name, outcome in outcomes.items()} | first_outcomes()
    FIRST_RUN.write_bytes(msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n")


def _short(outcome: Outcome) -> Outcome:
    """Without the findings that accuse nobody: their words are not needed again."""
    return msgspec.structs.replace(
        outcome, findings=tuple(said for said in outcome.findings if said.level >= 1)
    )
