"""Every event of recordings of five JDKs, against what the newest JDK prints of them."""

from __future__ import annotations

import lzma
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mqdiag.read.jfr.chunk import Problem
from mqdiag.read.jfr.recording import chunks
from tests.layers import CHECK, some_later
from tests.read.jfr.printed import differences, printed
from tests.read.jfr.whole import Whole
from tests.waiting import PATIENCE_S

FIXTURES = Path(__file__).parents[3] / "fixtures" / "recordings"
JFR = next(iter(sorted(Path("/usr/lib/jvm").glob("*25*/bin/jfr"))), None)
JAVAS = sorted(
    {path.resolve() for path in Path("/usr/lib/jvm").glob("*/bin/java") if path.with_name("jfr").exists()}
)
CASES = sorted(path.parent.name for path in FIXTURES.glob("*/recording.jfr.xz"))
ONE_OF_EACH = {"idle-jdk17", "stuck-jdk8", "stuck-jdk11", "stuck-jdk21", "stuck-jdk25"}


@pytest.mark.skipif(JFR is None, reason="no JDK 25 under /usr/lib/jvm: its jfr is the oracle")
@pytest.mark.parametrize("case", some_later(CASES, lambda case: case not in ONE_OF_EACH))
@CHECK
def test_every_event_is_what_the_jdk_prints(case: str, tmp_path: Path) -> None:
    file = tmp_path / "recording.jfr"
    file.write_bytes(lzma.decompress((FIXTURES / case / "recording.jfr.xz").read_bytes()))
    assert_equal(file)


@pytest.mark.skipif(JFR is None, reason="no JDK 25 under /usr/lib/jvm: its jfr is the oracle")
@pytest.mark.parametrize("jdk", [8, 11, 21])
@CHECK
def test_every_event_of_the_settings_of_other_jdks(jdk: int, tmp_path: Path) -> None:
    file = tmp_path / "recording.jfr"
    packed = FIXTURES.parent / "recordings-plain" / f"profile-jdk{jdk}.jfr.xz"
    file.write_bytes(lzma.decompress(packed.read_bytes()))
    assert len(assert_equal(file)) > 60


@pytest.mark.skipif(JFR is None, reason="no JDK 25 under /usr/lib/jvm: its jfr is the oracle")
@pytest.mark.parametrize("settings", ["default", "profile"])
@pytest.mark.parametrize("java", JAVAS, ids=lambda path: path.parents[1].name)
@CHECK
def test_every_event_of_the_settings_of_this_hosts_jdks(java: Path, settings: str, tmp_path: Path) -> None:
    """A compiler is a program that reads files, allocates, collects and starts threads."""
    file = tmp_path / "recording.jfr"
    option = f"-J-XX:StartFlightRecording:settings={settings},filename={file},dumponexit=true"
    sources = sorted((FIXTURES.parent / "rig" / "plain" / "src").rglob("*.java"))
    subprocess.run(
        [java.with_name("javac"), option, "-J-Xmx64m", "-d", tmp_path, *sources],
        check=True,
        capture_output=True,
        timeout=PATIENCE_S,
    )
    assert len(assert_equal(file)) > 50


def assert_equal(file: Path) -> set[str]:
    """Hold what is read against what the JDK prints; the types of events."""
    data = file.read_bytes()
    problems: list[Problem] = []
    ours: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for chunk in chunks(np.frombuffer(data, np.uint8), problems):
        whole = Whole(chunk)
        for name in chunk.counts:
            ours[name] += whole.events(name)
    assert problems == []
    theirs = printed(str(JFR), file)
    assert {name: len(events) for name, events in ours.items()} == {
        name: len(events) for name, events in theirs.items()
    }
    for name, events in theirs.items():
        assert differences(ours[name], events) == [], name
    return set(theirs)
