"""Lines that look like trouble and are none: told with why, and nothing else in their text is hidden by them."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.findings import Report
from mqdiag.language import english
from mqdiag.logs.statements import searched

WARNINGS = (
    "$ sh bin/mqbroker -n localhost:9876\n"
    "WARNING: Please consider reporting this to the maintainers of org.apache.rocketmq.store.MappedFile$1\n"
    "WARNING: All illegal access operations will be denied in a future release\n"
)


def diagnosed(text: str, folder: Path) -> Report:
    (folder / "console.txt").write_text(text)
    return diagnose_logs([folder / "console.txt"]).report


def test_each_is_healthy_and_says_why(tmp_path: Path) -> None:
    wrong = {}
    for event in searched().events:
        for statement in event.statements if event.why else ():
            text = statement.example or statement.behind[0] + statement.literal
            report = diagnosed(f"{text}\n{WARNINGS}", tmp_path)
            assert report.answer is not None
            assert report.logs is not None
            told = [english()(one.why) for one in report.logs.harmless]
            if report.answer.state != "healthy" or event.why not in told:
                wrong[text] = (english()(report.answer.reason), told)
    assert wrong == {}


@pytest.mark.parametrize(
    "line",
    [
        "Segmentation fault",
        "some tool says: no",
        "runbroker.sh: line 41: /opt/jdk/bin/java: No such file or directory",
    ],
)
def test_no_line_beside_them_is_left_out(line: str, tmp_path: Path) -> None:
    assert diagnosed(WARNINGS, tmp_path).answer.state == "healthy"  # type: ignore[union-attr]
    answer = diagnosed(WARNINGS + line + "\n", tmp_path).answer
    assert answer is not None
    assert answer.state != "healthy"


def test_words_that_a_person_leaves_out_are_no_line(tmp_path: Path) -> None:
    answer = diagnosed(
        "OpenJDK 64-Bit Server VM warning: Option A was deprecated in version 15.0\n" * 2 + "...\n", tmp_path
    ).answer
    assert answer is not None
    assert answer.state == "healthy"


def test_one_of_them_alone_is_told_and_proves_nothing(tmp_path: Path) -> None:
    answer = diagnosed(
        "OpenJDK 64-Bit Server VM warning: Option A was deprecated in version 15.0\n", tmp_path
    ).answer
    assert answer is not None
    assert answer.state == "undecided"
    assert "no longer has" in english()(answer.reason)


def test_few_of_them_do_not_speak_for_an_application(tmp_path: Path) -> None:
    own = "".join(
        f"2026-11-21 12:00:{second:02d}.123 INFO [main] com.acme.Shop - order {second}\n"
        for second in range(30)
    )
    answer = diagnosed(WARNINGS + own, tmp_path).answer
    assert answer is not None
    assert answer.state == "undecided"


CLOSE = "closeChannel: close the connection to remote address[{}] result: true"


def closings(*bursts: tuple[str, ...]) -> str:
    return "".join(
        f"[2026-11-21 12:{minute:02d}:00.071] INFO {CLOSE.format(address)}\n"
        for minute, burst in enumerate(bursts)
        for address in burst
    )


def test_a_console_that_shuts_its_clients_down_is_no_churn(tmp_path: Path) -> None:
    together = ("10.0.0.1:9876", "10.0.0.2:10911")
    assert all(one.severity == "info" for one in diagnosed(closings(*[together] * 12), tmp_path).findings)
    found = diagnosed(closings(*[together[:1]] * 12), tmp_path).findings
    assert [one.rule for one in found if one.severity == "warning"] == ["connection-churn"]


def test_what_a_jvm_says_once_and_stands_twice_shows_another_start(tmp_path: Path) -> None:
    once = "WARNING: An illegal reflective access operation has occurred\n" + WARNINGS
    assert diagnosed(once, tmp_path).answer.state == "healthy"  # type: ignore[union-attr]
    assert diagnosed(once * 2, tmp_path).answer.state == "undecided"  # type: ignore[union-attr]


def test_the_line_of_a_logger_excuses_no_error_above_it(tmp_path: Path) -> None:
    text = (
        "2026-11-21 12:00:01,123 ERROR [main] com.acme.Shop - payment of order 7 failed\n"
        "See http://example.org/faq for further details.\n"
    )
    report = diagnosed(text, tmp_path)
    assert report.logs is not None
    assert report.logs.level_lines is not None
    assert report.logs.level_lines.foreign == 1
