"""The head of a report: what it is about, and the command that made it."""

from __future__ import annotations

import msgspec

from mqdiag.facts import Input
from mqdiag.findings import Report
from mqdiag.render import View, renderer
from tests.render.html.reports import convoy, stuck_incident


def full_text(report: Report, *command: str) -> list[str]:
    text = renderer("text")(report, View(detail="full", width=400, command=command))
    return [" ".join(line.split()) for line in text.splitlines()]


def test_an_incident_names_its_folder_process_client_jvm_and_time() -> None:
    lines = full_text(stuck_incident(), "mqdiag", "diagnose", "a b")
    assert lines[0].startswith("evidence 8 files in ")
    assert lines[0].endswith("/incidents/stuck-http/")
    assert lines[1:6] == [
        "process pid 7754",
        "client 192.0.2.2@7754#12867971327333",
        "JVM OpenJDK 64-Bit Server VM 17.0.15+6-Debian-1deb12u1",
        "taken 2026-11-21 12:12:52 +00:00",
        "made by `mqdiag diagnose 'a b'`",
    ]


def test_samples_of_one_file_tell_from_when_to_when_they_are() -> None:
    assert "taken 2026-11-21 09:25:13 to 2026-11-21 09:25:23" in full_text(convoy())


def test_local_times_in_two_forms_are_compared_by_the_time() -> None:
    inputs = tuple(
        Input(path=f"{place}.txt", captured_at_local=time)
        for place, time in enumerate(("2026-11-21T12:00:00", "2026-11-21 12:30:00"))
    )
    report = msgspec.structs.replace(convoy(), stacks=None, inputs=inputs)
    assert "taken 2026-11-21 12:00:00 to 2026-11-21 12:30:00" in full_text(report)


def test_without_a_command_line_nothing_is_said_of_one() -> None:
    assert not any(line.startswith("made by") for line in full_text(convoy()))


def test_the_short_form_begins_with_the_answer() -> None:
    assert renderer("text")(convoy(), View(command=("mqdiag",))).startswith("ERROR")
