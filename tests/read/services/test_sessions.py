from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.facts import Facts
from mqdiag.facts.services import ServicesFacts
from mqdiag.read.services.durations import interval_ms
from mqdiag.read.services.reader import kind_of, read_services
from mqdiag.read.services.sessions import read_sessions
from mqdiag.rules import transaction_blocks_others
from tests.folded import folded
from tests.rules import checks

FIXTURES = Path(__file__).parents[3] / "fixtures"

ALIGNED = """\
  pid  | usename |    application_name    | client_addr | client_port |        state        | wait_event | \
blocked_by | xact_age
-------+---------+------------------------+-------------+-------------+---------------------+------------+-\
-----------+-----------------
 26006 | shop    | PostgreSQL JDBC Driver | 127.0.0.1   |       40184 | idle in transaction | ClientRead | \
{}         | 00:00:54.778284
 26197 | shop    | PostgreSQL JDBC Driver | 127.0.0.1   |       54980 | active              | transactionid | \
{26006}    | 00:00:25.432087
(2 rows)
"""
UPRIGHT = """\
-[ RECORD 1 ]----+------------------------------
pid              | 26006
state            | idle in transaction
xact_start       | 2026-11-28 01:13:20.5+00
state_change     | 2026-11-28 01:13:21.5+00
query_start      | 2026-11-28 01:13:21.4+00
-[ RECORD 2 ]----+------------------------------
pid              | 30081
state            | active
query_start      | 2026-11-28 01:14:20.5+00
"""
LOCKS = """\
  pid  |   locktype    | relation | transactionid | tuple |     mode      | granted
-------+---------------+----------+---------------+-------+---------------+---------
 26197 | transactionid |          |           728 |       | ShareLock     | f
 26006 | transactionid |          |           728 |       | ExclusiveLock | t
 26190 | tuple         | accounts |               |     7 | ExclusiveLock | f
 26197 | tuple         | accounts |               |     7 | ExclusiveLock | t
"""
PROCESSLIST = """\
+----+------+-----------------+------+---------+------+---------------------------------+------------------+
| Id | User | Host            | db   | Command | Time | State                           | Info             |
+----+------+-----------------+------+---------+------+---------------------------------+------------------+
|  8 | shop | 10.0.0.7:40184  | shop | Sleep   |   95 |                                 | NULL             |
|  9 | shop | 10.0.0.8:54980  | shop | Query   |   12 | updating                        | UPDATE t SET a=1 |
+----+------+-----------------+------+---------+------+---------------------------------+------------------+
"""
LOCK_WAITS = """\
*************************** 1. row ***************************
                wait_started: 2026-11-28 01:00:00
                    wait_age: 00:00:12
               wait_age_secs: 12
              waiting_trx_age: 00:00:12
                 waiting_pid: 9
               waiting_query: UPDATE t SET a=1
                blocking_pid: 8
              blocking_query: NULL
            blocking_trx_age: 00:01:35
"""


def test_psql_aligned() -> None:
    holder, waiter = read_sessions("a", ALIGNED.splitlines()).sessions
    assert (holder.pid, holder.does, holder.client_port) == (26006, "idle-in-transaction", 40184)
    assert holder.transaction_ms == pytest.approx(54_778.284)
    assert holder.blocked_by == ()
    assert waiter.blocked_by == (26006,)


def test_psql_upright_has_ages_by_its_newest_time() -> None:
    holder, _ = read_sessions("a", UPRIGHT.splitlines()).sessions
    assert holder.transaction_ms == pytest.approx(60_000)
    assert holder.state_ms == pytest.approx(59_000)


def test_locks_tell_who_waits_for_whom() -> None:
    blocked = {one.pid: one.blocked_by for one in read_sessions("a", LOCKS.splitlines()).sessions}
    assert blocked == {26197: (26006,), 26006: (), 26190: (26197,)}


def test_processlist_has_the_port_of_the_client() -> None:
    sleeping, updating = read_sessions("a", PROCESSLIST.splitlines()).sessions
    assert (sleeping.client, sleeping.client_port, sleeping.does, sleeping.state_ms) == (
        "10.0.0.7",
        40184,
        "idle",
        95_000,
    )
    assert (updating.does, updating.statement) == ("active", "UPDATE t SET a=1")


def test_lock_waits_of_mysql_join_the_processlist() -> None:
    sessions = {
        one.pid: one for one in read_sessions("a", (LOCK_WAITS + "\n" + PROCESSLIST).splitlines()).sessions
    }
    assert sessions[9].blocked_by == (8,)
    assert sessions[8].does == "idle-in-transaction"
    assert sessions[8].client_port == 40184
    assert sessions[8].transaction_ms == 95_000


@folded("text", [ALIGNED, UPRIGHT, LOCKS, PROCESSLIST, LOCK_WAITS])
def test_answers_are_recognised(text: str) -> None:
    assert kind_of(text) == "database sessions"
    assert read_services("a", "database sessions", text.splitlines()).facts.sessions


def test_a_table_of_something_else_is_none() -> None:
    assert kind_of("| a | b |\n|---|---|\n| 1 | 2 |\n") is None
    assert kind_of("#Group            #Count  #Version\nCID_a  1  V4_9_8\n") is None


FORGED = (
    "| 66 | app  | 10.0.0.7:40009 | shop | Query   | 9000 | Waiting for table metadata lock | update t |\n",
    "| waiting_pid | blocking_pid | wait_age_secs |\n+---+---+---+\n| 9 | 8 | 9000 |\n+---+---+---+\n",
    "*************************** 7. row ***************************\nwaiting_pid: 9\nblocking_pid: 8\n",
    " waiting_pid | blocking_pid | wait_age_secs\n----+----+----\n 9 | 8 | 9000\n",
    "waiting_pid\tblocking_pid\n9\t8\n",
    "waiting_pid,blocking_pid,time,id\n9,8,1,1\n",
)


def _forged(text: str) -> str:
    return f"INSERT INTO n VALUES ('x\n{text}')"


def _processlist(statement: str) -> str:
    """The list of MySQL as it prints it, whose first session runs this statement."""
    names = ("Id", "User", "Command", "Time", "State", "Info")
    table = [
        ("9", "shop", "Query", "12", "updating", statement),
        ("8", "shop", "Sleep", "95", "", "NULL"),
        ("10", "shop", "Query", "900", "Waiting for table metadata lock", "UPDATE t SET a=1"),
    ]
    wide = [max(len(row[place].encode()) for row in (names, *table)) for place in range(len(names))]
    rule = "+" + "".join("-" * (width + 2) + "+" for width in wide)
    lines = [
        "| " + " | ".join(f"{cell:{width}}" for cell, width in zip(row, wide, strict=True)) + " |"
        for row in (names, *table)
    ]
    return "\n".join((rule, lines[0], rule, *lines[1:], rule, "3 rows in set (0.00 sec)", ""))


def _upright(statement: str) -> str:
    names = ("Id", "User", "Command", "Time", "State", "Info", "Progress")
    rows = (
        ("9", "shop", "Query", "12", "updating", statement, "0.0"),
        ("8", "shop", "Sleep", "95", "", "NULL", "0.0"),
    )
    return "".join(
        f"*************************** {number}. row ***************************\n"
        + "".join(f"{name:>8}: {cell}\n" for name, cell in zip(names, row, strict=True))
        for number, row in enumerate(rows, 1)
    )


def _by_tabs(statement: str) -> str:
    head = "Id\tUser\tCommand\tTime\tState\tInfo\n"
    return f"{head}9\tshop\tQuery\t12\tupdating\t{statement}\n8\tshop\tSleep\t95\t\tNULL\n"


def _unaligned(statement: str) -> str:
    return f"pid|usename|state|query\n9|shop|active|{statement}\n8|shop|idle|select 1\n(2 rows)\n"


@folded("printed", [_processlist, _upright, _by_tabs, _unaligned])
def test_a_table_within_a_statement_is_not_believed(printed: Callable[[str], str]) -> None:
    for text in FORGED:
        answer = read_sessions("a", printed(_forged(text)).split("\n"))
        assert answer.may_be_quoted
        for one in answer.sessions:
            assert one.pid in (8, 9, 10, 66)
            assert one.may_be_quoted or (
                one.pid == 9 and not one.blocked_by and one.wait in (None, "updating")
            ), text
        facts = Facts(services=ServicesFacts(sessions=answer.sessions))
        assert all(found.confidence == "low" for found in checks.findings(transaction_blocks_others, facts))


@folded("printed", [_processlist, _upright, _by_tabs])
@pytest.mark.parametrize(
    "statement", ["UPDATE t\nSET a = 'x'\n\nWHERE b = 1", "UPDATE t SET a = b | c || d", "x='中文字'"]
)
def test_a_statement_of_several_lines_or_with_bars_is_a_cell(
    printed: Callable[[str], str], statement: str
) -> None:
    answer = read_sessions("a", printed(statement).split("\n"))
    assert not answer.may_be_quoted
    assert answer.unread == 0
    sessions = {one.pid: one for one in answer.sessions}
    assert not any(one.may_be_quoted for one in sessions.values())
    assert (sessions[9].does, sessions[8].does, sessions[8].state_ms) == ("active", "idle", 95_000)
    if printed is _processlist:
        assert sessions[10].wait == "Waiting for table metadata lock"


def test_psql_prints_line_ends_and_bars_within_the_columns() -> None:
    text = """\
  pid  | state  |           query            | blocked_by
-------+--------+----------------------------+------------
 26006 | idle   | select a || b             +| {}
       |        |  pid | blocked_by         +|
       |        | ------+-----------        +|
       |        |  66   | {26006}            |
 26007 | active | set x = '中文|' || y       | {26006}
(2 rows)
"""
    answer = read_sessions("a", text.split("\n"))
    assert not answer.may_be_quoted
    assert {one.pid: (one.blocked_by, one.may_be_quoted) for one in answer.sessions} == {
        26006: ((), False),
        26007: ((26006,), False),
    }


@folded(
    "row, blocked_by, unread, may_be_quoted",
    [
        (" 26007 | active | {26006} | update t", (26006,), 0, False),
        (" 26007 | active | {26006} | update t set x = a || b", (26006,), 0, True),
        (" 26007 | active | {26006}", None, 1, False),
    ],
)
def test_a_row_that_stands_uneven(
    row: str, blocked_by: tuple[int, ...] | None, unread: int, may_be_quoted: bool
) -> None:
    head = "  pid  | state  | blocked_by | query\n-------+--------+------------+-------\n"
    answer = read_sessions("a", (head + row).split("\n"))
    found = [(one.blocked_by, one.may_be_quoted) for one in answer.sessions]
    assert found == ([] if blocked_by is None else [(blocked_by, may_be_quoted)])
    assert answer.unread == unread


def test_upright_psql_knows_its_keys_by_their_column() -> None:
    text = """\
-[ RECORD 1 ]+--------
pid          | 7
query        | select 'x       +
             | blocked_by | {8}+
             | '
blocked_by   | {}
"""
    (session,) = read_sessions("a", text.split("\n")).sessions
    assert (session.blocked_by, session.may_be_quoted) == ((), False)


def test_a_cell_of_csv_has_line_ends_between_quotation_marks() -> None:
    text = 'pid,state,query,blocked_by\n7,active,"select \'x\nwaiting_pid,blocking_pid,id\n9,8,1\n",{8}\n8,idle,a,{}\n'
    answer = read_sessions("a", text.split("\n"))
    assert {one.pid: one.blocked_by for one in answer.sessions} == {7: (8,), 8: ()}
    assert not answer.may_be_quoted


def test_a_statement_does_not_make_the_answer_another_kind_of_text() -> None:
    lines = "2026-11-28 01:13:51 UTC [201] LOG:  process 201 still waiting for A on b after 9.0 ms\n" * 80
    assert kind_of(_processlist(_forged(lines))) == "database sessions"
    assert kind_of("mysql> show full processlist;\n" + _processlist(_forged(lines))) == "database sessions"
    assert kind_of(_processlist(_forged("Local Address:Port  Peer Address\n"))) == "database sessions"
    title = "# list of sessions\nmysql> show full\n    -> processlist;\n"
    assert kind_of(title + _processlist(_forged(lines))) == "database sessions"
    record = "2026-11-28 01:13:51 UTC [201] ERROR:  no x\n2026-11-28 01:13:51 UTC [201] STATEMENT:  select 'x\n"
    for forged in ("State  Recv-Q Send-Q Local Address:Port  Peer Address:Port\n", *FORGED):
        assert (
            kind_of(record + "".join(f"\t{one}\n" for one in forged.splitlines()) + record) == "PostgreSQL log"
        )
        error = "2026-11-21T13:00:00.000000Z 5 [Note] [MY-010926] [Server] *** (1) TRANSACTION:\n"
        assert kind_of(2 * error + forged) == "MySQL log"
    status = "=====\n2026-11-28 01:00:00 0x7f INNODB MONITOR OUTPUT\n=====\n"
    assert kind_of(status + FORGED[1]) == "MySQL log"
    assert (
        kind_of("*** 1. row ***\n  Type: InnoDB\n  Name: \nStatus: \n".replace("***", "*****") + status)
        == "MySQL log"
    )


def test_what_may_be_quoted_is_never_an_all_clear(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text(_processlist(_forged("+---+\n")))
    report = diagnose_incident([tmp_path, FIXTURES / "stacks/idle/series.tar.gz"]).report
    assert report.answer.state == "undecided"
    assert [one.may_be_quoted for one in report.inputs if one.kind == "service"] == [True]
    (tmp_path / "list.txt").write_text(
        _processlist("UPDATE t\nSET a = 1").replace("Waiting for table metadata lock", " " * 31)
    )
    assert (
        diagnose_incident([tmp_path, FIXTURES / "stacks/idle/series.tar.gz"]).report.answer.state == "healthy"
    )


@folded(
    "text, ms",
    [
        ("00:00:54.5", 54_500),
        ("1 day 02:00:00", 93_600_000),
        ("@ 1 min 5 secs", 65_000),
        ("12", 12_000),
        ("", None),
        ("never", None),
    ],
)
def test_intervals(text: str, ms: float | None) -> None:
    assert interval_ms(text) == ms


@folded(
    "alias, age, known",
    [
        ("runs", "00:00:54.7", 54_700.0),
        ("age", "1 day 00:00:01", 86_401_000.0),
        ("query_age", "00:01:00", 60_000.0),
        ("connection_age", "00:01:00", None),
        ("usage", "00:01:00", None),
        ("age", "4711", None),
    ],
)
def test_an_age_under_a_name_of_somebodys_own(alias: str, age: str, known: float | None) -> None:
    """A transaction is at least as old as what it runs; a connection says nothing of it, nor does a number."""
    rows = (f" 17 | idle in transaction | {age}", f" 18 | idle | {age}")
    first, second = read_sessions("a.txt", [f" pid | state | {alias}", "-----+-------+------", *rows]).sessions
    assert (first.transaction_ms, second.transaction_ms) == (known, None)
