"""What mqdiag says of a case, and whether that is right."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import msgspec

from mqdiag.cli import run
from tests.accuracy.public.truth import Case, Truth

FIRST_RUN = "first_run.json"
UNDECIDES = frozenset({"input-incomplete", "input-failed", "progress-not-judged"})
"""rules that make the answer undecided; they accuse nobody"""

Verdict = Literal["right", "undecided", "wrong", "false all-clear"]
VERDICTS: tuple[Verdict, ...] = ("right", "undecided", "wrong", "false all-clear")


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """One finding."""

    rule: str
    cause: str
    severity: str

    def is_one_of(self, names: Iterable[str]) -> bool:
        """True when `names` has the rule, or the rule with its cause."""
        return not {self.rule, f"{self.rule}/{self.cause}"}.isdisjoint(names)

    @property
    def accuses(self) -> bool:
        """True for what an operator would act on."""
        return self.severity in ("error", "warning") and self.rule not in UNDECIDES


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """The state of the answer, and all findings."""

    state: str
    findings: tuple[Said, ...]


def outcome_of(case: Case) -> Outcome:
    """Run the case's command in this process.

    Raises:
        RuntimeError: mqdiag failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        options = ["--format", "json", "--output", str(report), "--fail-on", "never"]
        code = run([*case.arguments, *options])
        if not report.exists():
            raise RuntimeError(f"{case.name}: mqdiag left with exit code {code} and without a report")
        said = msgspec.json.decode(report.read_bytes())
    findings = msgspec.convert(said["findings"], tuple[Said, ...])
    return Outcome(state=said["answer"]["state"], findings=findings)


def verdict_of(truth: Truth, outcome: Outcome) -> Verdict:
    """Whether the outcome is right, by the truth alone."""
    accusations = [said for said in outcome.findings if said.accuses]
    if truth.healthy:
        if accusations:
            return "wrong"
        return "right" if outcome.state == "healthy" else "undecided"
    if outcome.state == "healthy":
        return "false all-clear"
    if any(said.is_one_of(truth.never) for said in accusations):
        return "wrong"
    if truth.decided and not all(said.is_one_of((*truth.causes, *truth.also)) for said in accusations):
        return "wrong"
    return "right" if any(said.is_one_of(truth.causes) for said in outcome.findings) else "undecided"


def first_outcome(case: Case) -> Outcome | None:
    """What mqdiag said when it met the case for the first time; None when it has not met it."""
    path = case.folder / FIRST_RUN
    return msgspec.json.decode(path.read_bytes(), type=Outcome) if path.exists() else None


def keep_first(case: Case, outcome: Outcome) -> None:
    """Write down the first outcome; a later one never takes its place.

    Raises:
        FileExistsError: the case was run before.
    """
    with (case.folder / FIRST_RUN).open("xb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(outcome), indent=1) + b"\n")
