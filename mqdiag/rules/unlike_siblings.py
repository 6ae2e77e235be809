"""One instance of several differs from its siblings in a setting that all have."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from mqdiag.facts import Facts
from mqdiag.facts.processes import ProcessFacts
from mqdiag.facts.stacks import ThreadFacts
from mqdiag.findings import Severity, Subject
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("unlike-siblings")
STANDING = frozenset({"stuck", "blocked"})


@RULE.sees("processes")
def in_processes(facts: Facts, limits: Limits) -> Findings:
    """One finding for each instance whose work stands while that of its siblings does not."""
    assert facts.processes is not None
    own_names = RULE.names("of each instance")
    for siblings in _families(facts.processes):
        if len(siblings) < limits["instances"]:
            continue
        for odd in siblings:
            others = [one for one in siblings if one is not odd]
            differing = [
                (key, odd.settings.get(key), value)
                for key, value in _common(others).items()
                if odd.settings.get(key) != value and not key.lower().endswith(own_names)
            ]
            stands = bool(_standing(odd)) and not any(_standing(one) for one in others)
            if differing and stands:
                key, actual, expected = differing[0]
                yield RULE.case(
                    "other-setting",
                    subject=Subject(group=_group(odd), key=key),
                    evidence={
                        "key": key,
                        "actual": actual,
                        "expected": expected,
                        "instances": len(siblings),
                        "siblings": len(others),
                        "further_keys": tuple(name for name, _, _ in differing[1:]),
                        "pid_of_instance": odd.pid,
                        "standing_threads": len(_standing(odd)),
                        "frame": _standing(odd)[0].frame,
                    },
                    words={"instance": odd.name},
                    severity=Severity.ERROR,
                    weight=float(len(odd.stacks.threads) if odd.stacks else 0),
                    processes=(odd.name,),
                    seen_in=("stacks",),
                )


def _families(processes: Sequence[ProcessFacts]) -> Iterable[list[ProcessFacts]]:
    """Processes of one program: the same main class, whose command lines a capture has."""
    found: dict[str, list[ProcessFacts]] = defaultdict(list)
    for process in processes:
        if process.main_class is not None and process.settings:
            found[process.main_class].append(process)
    return found.values()


def _common(processes: Sequence[ProcessFacts]) -> dict[str, str]:
    """The settings that all of them have with one value."""
    counts = Counter(pair for process in processes for pair in process.settings.items())
    return {key: value for (key, value), count in counts.items() if count == len(processes)}


def _standing(process: ProcessFacts) -> list[ThreadFacts]:
    """Its consume threads that make no progress."""
    threads = () if process.stacks is None else process.stacks.threads
    return [thread for thread in threads if thread.state in STANDING and thread.role == "consume-worker"]


def _group(process: ProcessFacts) -> str | None:
    groups = {thread.group for thread in process.stacks.threads if thread.group} if process.stacks else set()
    return groups.pop() if len(groups) == 1 else None
