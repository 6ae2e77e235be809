"""The part of docs/accuracy.md on thread dumps: what mqdiag says of every committed series, beside the truth.

`make accuracy` puts it there; `python -m tests.threads.accuracy` only prints it.
"""

from __future__ import annotations

from collections import Counter

from tests.threads.real_series import STANDS, confusion, packed_series, truth_of

STATES = ("stuck", "blocked", "progressing", "idle", "unknown")
HEAD = """## Thread dumps: how often `mqdiag stacks` is right

Every series under `fixtures/stacks` was taken from a real JVM while the listener itself wrote down which message each
thread had in hand, so the truth does not come from the dumps. A case is given in several forms (jstack, jstack -l, -e,
jcmd, SIGQUIT, Thread.dump_to_file); each form counts. Made by `python -m tests.threads.accuracy`; the tests in
`tests/threads/test_real_series.py` hold every number of it.
"""
NOTE = """
Two kinds of threads stand still without the samples showing it, and are told as `progressing` or `unknown` with a word
on what to look at next: a loop that tries the same message again and again (`retry-loop-stuck`: CPU time and objects
grow), and a computation without `allocated=` (`regex-stuck` as plain jstack; with `jstack -e` it is found).
"""


def table(title: str, counts: Counter[tuple[str, str]]) -> list[str]:
    """Truth by decision."""
    lines = [f"\n### {title}\n", "| truth | " + " | ".join(STATES) + " |", "|---" * (len(STATES) + 1) + "|"]
    for truth in STATES[:4]:
        row = [str(counts[(truth, said)] or "") for said in STATES]
        if any(row):
            lines.append(f"| {truth} | " + " | ".join(row) + " |")
    return lines


def section() -> str:
    """The whole part."""
    total: Counter[tuple[str, str]] = Counter()
    cases: list[str] = []
    for path in packed_series():
        counts = confusion(path)
        total += counts
        truth = ", ".join(
            f"{count} {state}" for state, count in sorted(truth_of(path.parent)["summary"].items())
        )
        said = Counter[str]()
        for (_, state), count in counts.items():
            said[state] += count
        told = ", ".join(f"{count} {state}" for state, count in sorted(said.items()))
        form = "jstack" if path.name == "series.tar.gz" else path.name.removesuffix(".tar.gz")
        cases.append(f"| {path.parent.name} | {form} | {truth} | {told} |")
    stands = sum(count for (truth, _), count in total.items() if truth in STANDS)
    found = sum(count for (truth, said), count in total.items() if truth in STANDS and said in STANDS)
    moves = sum(count for (truth, _), count in total.items() if truth not in STANDS)
    wrong = sum(count for (truth, said), count in total.items() if truth not in STANDS and said in STANDS)
    return "\n".join(
        (
            HEAD.rstrip(),
            *table("All threads", total),
            f"\n{found} of {stands} threads that stand still are found; "
            f"{wrong} of {moves} that move are called stuck.",
            NOTE,
            "### By case\n\n| case | form | truth | mqdiag says |\n|---|---|---|---|",
            *cases,
        )
    )


if __name__ == "__main__":
    print(section())
