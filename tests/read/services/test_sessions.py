from __future__ import annotations

import pytest

from mqdiag.read.services.durations import interval_ms
from mqdiag.read.services.reader import kind_of, read_services
from mqdiag.read.services.sessions import read_sessions
from tests.folded import folded

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
