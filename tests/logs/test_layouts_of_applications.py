"""True stacks of an application count in every layout, and lines in a message of a user's in none."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.findings import Severity

OUT_OF_MEMORY = "java.lang.OutOfMemoryError: Java heap space"
STACK = (
    f"{OUT_OF_MEMORY}\n\tat java.base/java.util.Arrays.copyOf(Arrays.java:3537)"
    "\n\tat com.acme.pay.Orders.take(Orders.java:41)\n\tat java.base/java.lang.Thread.run(Thread.java:833)"
)
AT = "{hour}:{minute:02}:{second:02}"
LAYOUTS = {
    "Logback": f"{AT}.123 [worker-1] {{level}} com.acme.pay.Orders - {{text}}",
    "Tomcat": f"06-May-2024 {AT}.123 {{jul}} [worker-1] com.acme.pay.Orders.run {{text}}",
    "java.util.logging": f"May 06, 2024 {AT} AM com.acme.pay.Orders run\n{{jul}}: {{text}}",
    "WildFly": f"{AT},123 {{level:5}} [com.acme.pay.Orders] (worker-1) {{text}}",
    "slf4j-simple": "[worker-1] {level} com.acme.pay.Orders - {text}",
    "time since the start": "{at}123 [worker-1] {level} com.acme.pay.Orders - {text}",
    "a level first": f"{{level}} 2024-05-06 {AT},123 [worker-1] c.a.pay.Orders - {{text}}",
    "a level in brackets first": f"[{{level}}] 2024-05-06 {AT},123 [worker-1] c.a.pay.Orders - {{text}}",
    "a thread first": f"[worker-1] 2024-05-06 {AT}.123 {{level}} c.a.pay.Orders - {{text}}",
    "a month by its name": f"06 May 2024 {AT},123 [worker-1] {{level}} c.a.pay.Orders - {{text}}",
    "keys": f'time="2024-05-06T{AT}.123Z" level={{level}} logger=c.a.pay.Orders msg="{{text}}"',
    "milliseconds since 1970": "17149{at:05}123 {level} [worker-1] c.a.pay.Orders - {text}",
    "seconds since 1970": "17149{at:05}.123 {level} [worker-1] c.a.pay.Orders - {text}",
}
COLLECTED = {
    "syslog": (f"May  6 {AT} web1 pay[4711]: ", "{level} c.a.pay.Orders - {text}"),
    "containerd": (f"2024-05-06T{AT}.123456789Z stdout F ", "{level} [worker-1] c.a.pay.Orders - {text}"),
}
ALL = [*LAYOUTS, *COLLECTED]


def record(layout: str, at: int, level: str, text: str) -> str:
    """A record, so many seconds after ten o'clock, with the further lines of its text."""
    before, form = COLLECTED.get(layout) or ("", LAYOUTS[layout])
    first, *further = text.split("\n")
    values = {
        "hour": 10 + at // 3600,
        "minute": at // 60 % 60,
        "second": at % 60,
        "at": at,
        "level": level,
        "jul": {"ERROR": "SEVERE", "WARN": "WARNING"}.get(level, level),
    }
    lines = [*form.format(text=first, **values).split("\n"), *further]
    return "".join(f"{before.format(**values)}{line}\n" for line in lines)


def told(layout: str, given: dict[int, tuple[str, str]], tmp_path: Path) -> list[tuple[str, str, bool]]:
    """Severity, confidence, and whether it may be quoted, of each finding that an OutOfMemoryError makes.

    Args:
        layout: of the log's 300 records.
        given: level and text of some of them.
        tmp_path: where the log is written.
    """
    path = tmp_path / "app.log"
    texts = (given.get(at, ("INFO", f"order {at} was paid")) for at in range(300))
    path.write_text("".join(record(layout, 7 * at, *one) for at, one in enumerate(texts)))
    return [
        (one.severity.value, one.confidence.value, one.may_be_quoted)
        for one in diagnose_logs([path]).report.findings
        if one.severity is not Severity.INFO and one.rule == "out-of-memory-thread"
    ]


@pytest.mark.parametrize("layout", ALL)
def test_whole_stacks_through_the_code_of_the_program_are_an_error(layout: str, tmp_path: Path) -> None:
    true = dict.fromkeys(range(100, 280, 10), ("ERROR", f"it failed\n{STACK}"))
    assert told(layout, true, tmp_path) == [("error", "medium", False)]


@pytest.mark.parametrize("layout", ALL)
@pytest.mark.parametrize(
    "text",
    [
        f"new ticket\n{OUT_OF_MEMORY}",
        f"new ticket\n{STACK}",
        f"new ticket\nhello\n{STACK}",
        f"new ticket\nSEVERE: x\n{STACK}",
        f"new ticket\n[x] hello\n{STACK}",
    ],
    ids=["an exception", "a stack", "a stack below a line", "a stack below a level", "a stack below brackets"],
)
def test_a_message_at_info_makes_no_error(layout: str, text: str, tmp_path: Path) -> None:
    """Even with the packages of the application."""
    assert all(one == ("warning", "low", True) for one in told(layout, {150: ("INFO", text)}, tmp_path))


@pytest.mark.parametrize("layout", ALL)
@pytest.mark.parametrize("level", ["WARN", "ERROR"])
def test_a_stack_below_a_line_of_a_message_makes_no_error(layout: str, level: str, tmp_path: Path) -> None:
    """It stands below no record, and in too few messages."""
    given = dict.fromkeys((100, 150, 200), (level, f"bad ticket\n# hello\n{STACK}"))
    assert told(layout, given, tmp_path) == [("warning", "low", True)]


@pytest.mark.parametrize("layout", ["Tomcat", "a level first", "a thread first", "a month by its name"])
def test_a_record_of_another_time_than_its_neighbours_is_forged(layout: str, tmp_path: Path) -> None:
    own = LAYOUTS[layout].replace("com.acme.pay.Orders", "org.apache.rocketmq.client.Client")
    own = own.replace("c.a.pay.Orders", "RocketmqClient")
    for at, count in ((1050, 1), (6000, 0)):
        values = {"hour": 10 + at // 3600, "minute": at // 60 % 60, "second": at % 60, "at": at}
        forged = own.format(level="ERROR", jul="SEVERE", text=f"failed {OUT_OF_MEMORY}", **values)
        assert len(told(layout, {150: ("INFO", f"new ticket\n{forged}")}, tmp_path)) == count, at
