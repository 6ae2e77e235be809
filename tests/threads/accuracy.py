"""The tables of docs/measurements/thread-states.md, and of docs/accuracy.md for dumps without CPU times.

They hold what mqdiag says of every committed series, beside the truth. `python -m tests.threads.accuracy` prints them;
with `--page`, and in `make accuracy`, they are written.
"""

from __future__ import annotations

import argparse
from collections import Counter

from tests.accuracy.page import fill
from tests.threads.real_series import (
    SAME_CALL,
    STANDS,
    confusion,
    diagnosis_of,
    is_without_cpu_times,
    packed_series,
    truth_of,
)

STATES = ("stuck", "blocked", "progressing", "idle", "unknown", SAME_CALL)
HEAD = """\
Every series under `fixtures/stacks` comes from a real JVM. While it was taken, the listener itself wrote down which
message each thread worked on. So the truth does not come from the dumps. A case can have several forms (jstack,
jstack -l, -e, jcmd, SIGQUIT, Thread.dump_to_file), and each form counts. The tests in
`tests/threads/test_real_series.py` check every number.
"""
NOTE = """
Four kinds of stuck threads are called `progressing` or `unknown`, because their samples do not show that they are
stuck. The report says what to take next. A loop that tries the same message again and again uses CPU time and makes
objects (`retry-loop-stuck`). A computation needs `allocated=` (`regex-stuck` and `flag-loop-stuck` as plain jstack;
`jstack -e` shows it). In `late-stuck` and `late-stuck-jdk25` two groups each compute too, and one group each waits for
room in the ring of a Disruptor, which uses CPU time whether the wait ends or not.
Dumps of JDK 8 hold no CPU times: of their plain series, `same call` says that a thread hangs or is slow, and nothing
tells which. With the processor times of the kernel beside them (`with-cpu-times`) all but a computation is decided.
`Thread.dump_to_file` of JDK 21 has no CPU times, states or locks, so give jstack files too.
"""


def table(title: str, counts: Counter[tuple[str, str]]) -> list[str]:
    """Truth by decision, below a heading or a sentence."""
    lines = [f"\n{title}\n", "| truth | " + " | ".join(STATES) + " |", "|---" * (len(STATES) + 1) + "|"]
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
            *table("## All threads", total),
            f"\n{found} of {stands} threads that are stuck or blocked are found; "
            f"{wrong} of {moves} that progress are called stuck.",
            NOTE,
            "## By case\n\n| case | form | truth | mqdiag says |\n|---|---|---|---|",
            *cases,
        )
    )


def without_cpu_times() -> str:
    """Series of a real JDK 8: threads by the dumps alone and with the kernel's times, and the answers."""
    alone, with_times = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    answers: list[str] = []
    for path in packed_series():
        if not path.parent.name.startswith("jdk8-"):
            continue
        if not is_without_cpu_times(path):
            with_times += confusion(path)
            continue
        alone += confusion(path)
        report = diagnosis_of(path).report
        truth = ", ".join(
            f"{count} {state}" for state, count in sorted(truth_of(path.parent)["summary"].items())
        )
        loud = (f"{one.rule} ({one.cause}, {one.severity})" for one in report.findings if one.is_fault)
        told = ", ".join(dict.fromkeys(loud)) or "none"
        answers.append(f"| {path.parent.name} | {truth} | {report.answer.state} | {told} |")
    return "\n".join(
        (
            *table(f"{sum(alone.values())} consume threads, by the dumps alone:", alone),
            *table(
                f"The same with the kernel's times beside the dumps ({sum(with_times.values())}):", with_times
            ),
            "\nThe answers by the dumps alone:\n",
            "| series | truth | answer | findings at warning and above |\n|---|---|---|---|",
            *answers,
        )
    )


def main() -> None:
    """Print the part, or write it."""
    parser = argparse.ArgumentParser(prog="python -m tests.threads.accuracy")
    parser.add_argument("--page", action="store_true", help="write both pages")
    if parser.parse_args().page:
        fill("threads", section())
        fill("without-cpu-times", without_cpu_times())
    else:
        print(section(), without_cpu_times(), sep="\n")


if __name__ == "__main__":
    main()
