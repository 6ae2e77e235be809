"""The real libraries under `fixtures/libraries`, each of which waited in a consume thread: what mqdiag says of them."""

from __future__ import annotations

import json
import re
import tarfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.findings import Finding
from mqdiag.knowledge.lookup import all_libraries
from mqdiag.language import english

FIXTURES = Path(__file__).parents[2] / "fixtures" / "libraries"
CALLS = [
    pytest.param(file.parent, call, id=f"{file.parent.name}-{call['call']}")
    for file in sorted(FIXTURES.glob("*/truth.json"))
    for call in json.loads(file.read_text(encoding="utf-8"))
]


@cache
def findings_of(folder: Path) -> dict[str | None, Finding]:
    """The first finding of each group of one JVM; each group has one thread."""
    found: dict[str | None, Finding] = {}
    for finding in diagnose_stacks([folder / "series.tar.gz"]).report.findings:
        found.setdefault(finding.subject.group, finding)
    return found


@pytest.mark.parametrize(("folder", "call"), CALLS)
def test_the_own_frame_the_library_and_its_setting_are_named(folder: Path, call: dict[str, Any]) -> None:
    finding = findings_of(folder)[f"CID_{call['call']}"]
    assert finding.severity in ("error", "warning")
    # of a wrapped call the frame is in the class of the application that the wrapper calls
    frame = str(finding.evidence["frame"])
    assert frame.startswith(f"com.acme.calls.{call['call']}Call" + ("$" if "wrapped" in call else "."))
    remedy = " ".join(english()(text) for text in finding.remedy)
    # where no thread uses a connection they leak: the setting that finds the leak, and not the size, is named
    assert call["setting"] in remedy or "must close the connection" in remedy
    framework = next(one for one in all_libraries() if one.name == call["name"]).kind == "framework"
    assert framework or finding.evidence["library"] == call["name"]


def test_enough_libraries_are_known_and_tried() -> None:
    assert len(all_libraries()) >= 60
    assert len({call.values[1]["name"] for call in CALLS}) >= 30


@cache
def findings_of_one_sample(folder: Path, tmp: Path) -> dict[str | None, Finding]:
    """The first finding of each group in one dump, in which each group has six threads in its one call."""
    with tarfile.open(folder / "series.tar.gz") as archive:
        first = archive.extractfile(min(name for name in archive.getnames() if "." in name))
        assert first is not None
        head, *threads = re.split(r'\n(?=")', first.read().decode())
    own = re.compile(r'"(ConsumeMessageThread_.*)_1" #(\d+)')
    copies = []
    for place, thread in enumerate(threads):
        found = own.match(thread)
        for copy in range(6) if found else ():
            assert found is not None
            number = 10_000 + 10 * place + copy
            copies.append(f'"{found[1]}_{copy + 1}" #{number}{thread[found.end() :]}')
    path = tmp / f"{folder.name}.log"
    path.write_text("\n".join((head, *(one for one in threads if not own.match(one)), *copies)))
    found_first: dict[str | None, Finding] = {}
    for finding in diagnose_stacks([path]).report.findings:
        found_first.setdefault(finding.subject.group, finding)
    return found_first


@pytest.mark.parametrize(("folder", "call"), CALLS)
def test_one_dump_with_all_threads_in_one_call(
    folder: Path, call: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever the call is to: web, database, mail, directory, cache or pool."""
    finding = findings_of_one_sample(folder, tmp_path_factory.getbasetemp())[f"CID_{call['call']}"]
    assert (finding.severity, finding.evidence["thread_count"]) == ("warning", 6)
    assert finding.rule in (
        "stuck-socket-read",
        "stuck-wait",
        "connection-pool-exhausted",
        "sleeping-listener",
    )
