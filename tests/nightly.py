"""The tests of the night, file by file: `make nightly`, or one folder or file of them by `make nightly PART=hostile`.

What passed is not run again, so a night that was ended goes on where it was, and several can run parts of their own
at the same time. It counts for a later commit too where measurements and other files of tests are all that changed.
A change of the product, of a helper, of a guide or of anything else begins a new night. `build/nightly.json` keeps what
passed, on which commit, and how long it took; `--page` writes that into `docs/measurements/nightly.md`.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from tests.processor_time import seconds as processor_seconds

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests"
STATE = ROOT / "build" / "nightly.json"
PAGE = ROOT / "docs" / "measurements" / "nightly.md"
_ONE_AT_A_TIME = ("capture/", "fleet/")
"""folders whose tests start JVMs of their own and wait for them"""


@cache
def parts() -> list[str]:
    """Files with tests of the night, by their path below `tests`, as pytest collects them."""
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-m", "nightly", "--collect-only", "tests"]
    listed = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    return sorted(
        {line.partition("::")[0].removeprefix("tests/") for line in listed.splitlines() if "::" in line}
    )


def tree() -> str:
    """The commit, and what was changed since."""

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout

    changed = git("diff", "HEAD", "--", ".", f":!{PAGE.relative_to(ROOT)}")
    commit = git("rev-parse", "HEAD").strip()
    return f"{commit} and changes {hashlib.sha256(changed.encode()).hexdigest()[:8]}" if changed else commit


def kept() -> dict[str, Any]:
    """What passed on this tree, or before with all that it rests on."""
    name = tree()
    try:
        state: dict[str, Any] = json.loads(STATE.read_text())
    except FileNotFoundError:
        return {"tree": name, "passed": {}}
    before, passed = state["tree"], state["passed"]
    if before != name:
        again = _reached_between(before, name) if " " not in before + name else None
        passed = {} if again is None else {part: took for part, took in passed.items() if part not in again}
    return {"tree": name, "passed": passed}


@cache
def _reached_between(before: str, commit: str) -> set[str] | None:
    command = ["git", "diff", "--name-only", "--no-renames", before, commit]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    # a commit that is not here says nothing of what changed
    return touched(done.stdout.splitlines()) if done.returncode == 0 else None


def touched(changed: list[str]) -> set[str] | None:
    """Files of tests that a change reaches, by their path below `tests`: their own, and those that name one of them.

    Args:
        changed: paths of files of the repository.

    Returns:
        None where it may reach all of them.
    """
    changed = [
        path for path in changed if not path.startswith("docs/measurements/") and path != "tests/nightly.py"
    ]
    if not all(re.fullmatch(r"tests/(?:\w+/)*test_\w+\.py", path) for path in changed):
        return None
    texts = {str(file.relative_to(TESTS)): file.read_text("utf-8") for file in TESTS.rglob("*.py")}
    reached: set[str] = set()
    new = {path.removeprefix("tests/") for path in changed}
    while new:
        reached |= new
        names = re.compile(rf"\b(?:{'|'.join(Path(path).stem for path in new)})\b")
        new = {path for path, text in texts.items() if path not in reached and names.search(text)}
    return reached


def keep(part: str, took: dict[str, Any]) -> None:
    """Note that a part passed; others that run parts of their own at the same time note theirs."""
    STATE.parent.mkdir(exist_ok=True)
    with STATE.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        state = kept()
        state["passed"][part] = took
        written = STATE.with_suffix(".new")
        written.write_text(json.dumps(state, indent=1))
        written.replace(STATE)


def run(part: str) -> dict[str, Any] | None:
    """Run one part; what it took, or nothing where it failed."""
    workers = "0" if part.startswith(_ONE_AT_A_TIME) else str(min(os.cpu_count() or 1, 4))
    command = [sys.executable, "-m", "pytest", "-q", "-m", "nightly", "-n", workers, f"tests/{part}"]
    begun, used = time.monotonic(), processor_seconds()
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    # The line of counts is not the last one where programs are missing.
    counts = next((line for line in reversed(done.stdout.splitlines()) if " in " in line), "")
    took = {
        "tree": tree(),
        "tests": re.sub(r" in [\d.]+s.*", "", counts),
        "seconds": round(time.monotonic() - begun),
        "processor_seconds": round(processor_seconds() - used),
    }
    passed = done.returncode == 0
    print(f"{'passed' if passed else 'FAILED'} {took['seconds']:5} s  {part}: {took['tests']}", flush=True)
    if not passed:
        print(done.stdout, flush=True)
    return took if passed else None


def write_page(state: dict[str, Any]) -> None:
    """What the last night took, part by part."""
    passed = state["passed"]
    total, used = (sum(one[key] for one in passed.values()) for key in ("seconds", "processor_seconds"))
    rows = [
        f"| `{part}` | {one['tests']} | {one['seconds']} | {one['processor_seconds']} | {one['tree'][:8]} |"
        for part, one in sorted(passed.items())
    ]
    missing = [part for part in parts() if part not in passed]
    lines = [
        "# The tests of the night",
        "",
        "`make nightly` runs what repeats a test over more cases, file by file. What passed is not run again: a night",
        "that was ended goes on where it was, also on a later commit that changed measurements and other tests alone.",
        "`make nightly PART=hostile` runs one folder or file. `python -m tests.nightly --page` writes this page.",
        "",
        f"Commit {state['tree']}, {datetime.now(UTC):%d %B %Y}: {len(passed)} of {len(passed) + len(missing)} parts"
        f" passed in {total // 60} minutes, {used} s of processor time.",
        *([f"Not run, or failed: {', '.join(f'`{part}`' for part in missing)}."] if missing else []),
        "",
        "| Part | Tests | Seconds | Seconds of processor time | Commit |",
        "|---|---|---|---|---|",
        *rows,
    ]
    PAGE.write_text("\n".join(lines) + "\n", "utf-8")


def main() -> None:
    """Run all parts that have not passed on this tree, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help="a folder or file below tests, such as hostile")
    parser.add_argument("--page", action="store_true", help="write the page from what passed, and run nothing")
    options = parser.parse_args()
    if options.page:
        write_page(kept())
        return
    named = [part.removeprefix("tests/") for part in options.parts]
    chosen = [part for part in parts() if not named or part.startswith(tuple(named))]
    if not chosen:
        sys.exit(f"no tests of the night below {' '.join(named)}; there are: {' '.join(parts())}")
    failed = []
    for part in chosen:
        if part in kept()["passed"] and not named:
            print(f"passed before  {part}")
            continue
        took = run(part)
        if took is None:
            failed.append(part)
            continue
        keep(part, took)
    total = sum(one["seconds"] for one in kept()["passed"].values())
    print(f"{len(kept()['passed'])} of {len(parts())} parts have passed on {kept()['tree']}, in {total} s")
    if failed:
        sys.exit(f"failed: {' '.join(failed)}")


if __name__ == "__main__":
    main()
