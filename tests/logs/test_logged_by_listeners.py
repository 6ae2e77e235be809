"""Exceptions that an application logs inside of its listener, told from those that leave it."""

from __future__ import annotations

from pathlib import Path

from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.facts.logs import LogsFacts

RUN = "\tat org.apache.rocketmq.client.impl.consumer.ConsumeMessageConcurrentlyService$ConsumeRequest.run(C.java:411)\n"
THROWN = (
    'org.h2.jdbc.JdbcSQLSyntaxErrorException: Table "ORDERS" not found; SQL statement:\n'
    "INSERT INTO ORDERS VALUES(?, ?) [42102-224]\n"
    "\tat org.h2.engine.SessionRemote.done(SessionRemote.java:619)\n"
    "\tat com.acme.shop.RecordOrders.record(RecordOrders.java:34)\n"
    f"{RUN}"
    "\tat java.base/java.lang.Thread.run(Thread.java:840)\n"
    "Caused by: java.net.SocketException: reset\n"
    "\t... 9 more\n"
)


def _read(folder: Path, level: str, logger: str, text: str, thrown: str = THROWN) -> LogsFacts:
    log = folder / "app.log"
    head = "2026-11-28 09:05:{:02}.634 {} [ConsumeMessageThread_CID_records_{}] {} - {}\n"
    quiet = "".join(
        f"2026-11-28 09:04:{number:02}.001 INFO  [main] com.acme.shop.Main - ok\n" for number in range(30)
    )
    lines = (head.format(number, level, number, logger, text) + thrown for number in range(12))
    log.write_text(quiet + "".join(lines))
    logs = diagnose_logs([log]).report.logs
    assert logs is not None
    return logs


def test_group_class_cause_and_frame_of_what_a_listener_logs(tmp_path: Path) -> None:
    """A message of several lines stands between the exception and its frames."""
    logs = _read(tmp_path, "ERROR", "com.acme.shop.RecordOrders", "cannot record")
    (row,) = logs.listener_exceptions
    assert (row.of, row.group, row.count) == ("logged", "CID_records", 12)
    assert (row.exception, row.cause) == ("org.h2.jdbc.JdbcSQLSyntaxErrorException", "java.net.SocketException")
    assert row.frame == "com.acme.shop.RecordOrders.record(RecordOrders.java:34)"
    assert logs.count("listener-logged-error") == 12


def test_other_records_are_none(tmp_path: Path) -> None:
    """Records at INFO, those of RocketMQ, and stacks that do not lead to a listener."""
    client = "o.a.r.c.i.c.ConsumeMessageConcurrentlyService"
    for level, logger, thrown in (
        ("INFO ", "com.acme.shop.RecordOrders", THROWN),
        ("WARN ", client, THROWN),
        ("ERROR", "com.acme.shop.RecordOrders", THROWN.replace(RUN, "")),
    ):
        logs = _read(tmp_path, level, logger, "cannot record", thrown)
        assert not [event for event in logs.events if event.kind.startswith("listener-logged")]


def test_proxies_and_interceptors_below_a_listener_hide_nothing(tmp_path: Path) -> None:
    """A stack of a hundred frames; the line with the time is far above, and so is the exception."""
    deep = THROWN.replace(
        RUN, "\tat org.springframework.aop.framework.ReflectiveMethodInvocation.go(R.java:1)\n" * 120 + RUN
    )
    logs = _read(tmp_path, "ERROR", "com.acme.shop.RecordOrders", "cannot record", deep)
    (row,) = logs.listener_exceptions
    assert (row.group, row.count, row.exception) == (
        "CID_records",
        12,
        "org.h2.jdbc.JdbcSQLSyntaxErrorException",
    )
    assert row.frame == "com.acme.shop.RecordOrders.record(RecordOrders.java:34)"
