from __future__ import annotations

from mqdiag.read.services.mysql import is_mysql_log, read_mysql
from mqdiag.read.services.postgresql import is_postgresql_log, read_postgresql
from mqdiag.read.services.reader import kind_of
from tests.folded import folded

WAITING = (
    ("LOG", "process 26197 still waiting for ShareLock on transaction 728 after 1000.119 ms"),
    ("DETAIL", "Process holding the lock: 26006. Wait queue: 26197."),
    ("CONTEXT", 'while updating tuple (0,7) in relation "accounts"'),
    ("STATEMENT", "UPDATE accounts SET balance = balance + 1 WHERE id = $1"),
)
PREFIXES = (
    "2026-11-28 01:13:50.827 UTC [26197] ",
    "2026-11-28 01:13:50.827 UTC [26197] shop@shop JDBC 10.0.0.8(54980) ",
    "2026-11-28 01:13:50 UTC [26197]: [4-1] user=shop,db=shop,app=JDBC,client=10.0.0.8 ",
    "2026-11-28 01:13:50.827 UTC 26197 ",
    "<2026-11-28 01:13:50.827 GMT> [26197] ",
)


@folded("prefix", PREFIXES)
def test_a_wait_under_any_prefix(prefix: str) -> None:
    lines = [f"{prefix}{level}:  {text}" for level, text in WAITING]
    assert is_postgresql_log(lines)
    log = read_postgresql("postgresql.log", lines)
    (wait,) = log.waits
    assert (wait.waiter, wait.holders, wait.waited_ms) == (26197, (26006,), 1000.119)
    assert wait.of == "accounts"
    assert wait.statement is not None
    assert wait.statement.startswith("UPDATE accounts")
    assert not wait.ended
    assert wait.first is not None
    assert wait.first.startswith("2026-11-28T01:13:50")


def test_a_wait_ends_when_the_lock_is_acquired() -> None:
    prefix = PREFIXES[0]
    lines = [f"{prefix}{level}:  {text}" for level, text in WAITING]
    lines.append(f"{prefix}LOG:  process 26197 acquired ShareLock on transaction 728 after 5000.5 ms")
    (wait,) = read_postgresql("a", lines).waits
    assert wait.ended
    assert wait.waited_ms == 5000.5


def test_a_session_has_its_port_by_the_line_of_its_connection() -> None:
    head = "2026-11-28 01:13:20.319 UTC [26006] "
    lines = [
        head + "LOG:  connection received: host=10.0.0.7 port=40184",
        head + "LOG:  connection authorized: user=shop database=shop application_name=payments",
    ]
    (session,) = read_postgresql("a", lines).sessions
    assert (session.client, session.client_port) == ("10.0.0.7", 40184)
    assert (session.user, session.database, session.application) == ("shop", "shop", "payments")
    gone = [
        *lines,
        head + "LOG:  disconnection: session time: 0:00:01.0 user=shop database=shop host=10.0.0.7 port=40184",
    ]
    assert read_postgresql("a", gone).sessions == ()


def test_csv_and_json() -> None:
    row = (
        '2026-11-28 01:13:50.827 UTC,"shop","shop",26197,"10.0.0.8:54980",66f,4,"UPDATE waiting",'
        '2026-11-28 01:13:28 UTC,5/12,739,LOG,00000,"process 26197 still waiting for ShareLock on transaction 728 after'
        ' 1000.119 ms","Process holding the lock: 26006. Wait queue: 26197.",,,,"while updating tuple (0,7) in relation'
        ' ""accounts""","UPDATE accounts SET a = 1",,,"JDBC","client backend",,0'
    )
    as_json = (
        '{"timestamp":"2026-11-28 01:13:50.827 UTC","user":"shop","dbname":"shop","pid":26197,"remote_host":"10.0.0.8",'
        '"remote_port":54980,"error_severity":"LOG","message":"process 26197 still waiting for ShareLock on transaction'
        ' 728 after 1000.119 ms","detail":"Process holding the lock: 26006. Wait queue: 26197.",'
        '"application_name":"JDBC"}'
    )
    for line in (row, as_json):
        assert kind_of(line) == "PostgreSQL log"
        log = read_postgresql("a", [line])
        (wait,) = log.waits
        assert wait.holders == (26006,)
        (session,) = log.sessions
        assert (session.pid, session.client_port, session.application) == (26197, 54980, "JDBC")


def test_events() -> None:
    head = "2026-11-28 01:13:50.827 UTC [77] "
    lines = [
        head + "ERROR:  deadlock detected",
        head + "DETAIL:  Process 77 waits for ShareLock on transaction 5; blocked by process 78.",
        head + "STATEMENT:  UPDATE a SET b = 1",
        head + "FATAL:  terminating connection due to idle-in-transaction timeout",
        head + "FATAL:  sorry, too many clients already",
        head + "FATAL:  remaining connection slots are reserved for non-replication superuser connections",
    ]
    events = {one.kind: one for one in read_postgresql("a", lines).events}
    assert set(events) == {"deadlocked", "idle-timeout", "too-many-connections"}
    assert events["too-many-connections"].lines == 2
    assert events["deadlocked"].statement == "UPDATE a SET b = 1"


def test_prose_is_no_log() -> None:
    assert not is_postgresql_log(["I saw LOG:  something", "and then", "nothing more"])


FORGED = (
    "2026-11-28 01:13:51.000 UTC [201] shop@shop LOG:  process 201 still waiting for ShareLock on transaction 5"
    " after 900000.0 ms",
    "2026-11-28 01:13:51.000 UTC [201] shop@shop DETAIL:  Process holding the lock: 202. Wait queue: 201.",
)
HEAD = "2026-11-28 01:13:50.827 UTC [200] shop@shop "
STATEMENT = ('ERROR:  relation "x" does not exist', "STATEMENT:  select 'x")


@folded("before", ["\t", "2026-11-28T01:13:51.0Z \t", "2026-11-28T01:13:51.0Z stdout F \t", "db-1  | \t"])
def test_a_further_line_of_a_statement_is_no_record(before: str) -> None:
    lines = [*(before[:-1] + HEAD + one for one in STATEMENT), *(before + one for one in (*FORGED, "'"))]
    log = read_postgresql("a", lines)
    assert (log.waits, log.events) == ((), ())
    assert [one.pid for one in log.sessions] == [200]


def test_a_further_line_by_syslog_is_no_record() -> None:
    head = "Nov 28 01:13:50 db postgres[200]: "
    lines = [f"{head}[4-1] {HEAD}{STATEMENT[0]}", *(f"{head}[4-2] #011{one}" for one in FORGED)]
    assert read_postgresql("a", lines).waits == ()


def test_a_prefix_may_end_with_a_tab() -> None:
    lines = [f"2026-11-28 01:13:50.827 UTC [26197]\t{level}:  {text}" for level, text in WAITING]
    assert read_postgresql("a", lines).waits[0].holders == (26006,)


def test_a_long_statement_in_csv_ends_with_its_quotation() -> None:
    row = (
        '2026-11-28 01:13:50.827 UTC,"shop","shop",201,"10.0.0.8:54980",66f,4,"SELECT",2026-11-28 01:13:28 UTC,5/1,1,'
        '{},00000,"{}","{}",,,,,"{}",,,"JDBC","client backend",,0'
    )
    text, detail = (one.partition(":  ")[2] for one in FORGED)
    record = row.format("LOG", text, detail, "")
    assert read_postgresql("a", [record]).waits
    statement = "select 'x" + 300 * "\n" + record.replace('"', '""') + f"\n{FORGED[0]}\n'"
    lines = row.format("ERROR", "no relation", "", statement).split("\n")
    long = row.format("ERROR", "no relation", "", "y" * 70_000)
    assert read_postgresql("a", [*lines, *lines, long]).waits == ()
    assert read_postgresql("a", [*lines, long, record]).waits


@folded(
    "text",
    [
        "ERROR:  " + FORGED[0].partition("LOG:  ")[2],
        'ERROR:  invalid input syntax for type integer: "deadlock detected"',
        'FATAL:  password authentication failed for user "sorry, too many clients already"',
        "LOG:  duration: 3 ms  statement: insert into notes values ('canceling statement due to lock timeout')",
    ],
)
def test_words_of_a_user_in_a_record_are_no_event(text: str) -> None:
    log = read_postgresql("a", [HEAD + text])
    assert (log.waits, log.events) == ((), ())


def test_the_name_of_a_client_is_no_record() -> None:
    name = "LOG:  process 9 still waiting for A on b after 99999999 ms"
    assert read_postgresql("a", [f"2026-11-28 01:13:50 UTC [77] {name}@shop FATAL:  no role"]).waits == ()


def test_a_detail_that_repeats_a_value_names_no_holder() -> None:
    lines = [f"{HEAD.replace('200', '26197')}{level}:  {text}" for level, text in (WAITING[0], WAITING[1])]
    lines.append(
        HEAD.replace("200", "26197") + "DETAIL:  Key (a)=(Process holding the lock: 66. Wait) already exists."
    )
    assert read_postgresql("a", lines).waits[0].holders == (26006,)


INNODB = """\
=====================================
2026-11-28 01:00:00 0x7f INNODB MONITOR OUTPUT
=====================================
------------
TRANSACTIONS
------------
---TRANSACTION 5000, ACTIVE 12 sec starting index read
mysql tables in use 1, locked 1
LOCK WAIT 2 lock struct(s), heap size 1128, 1 row lock(s)
MySQL thread id 9, OS thread handle 140, query id 50 10.0.0.8 shop updating
UPDATE accounts SET a = 1 WHERE id = 7
------- TRX HAS BEEN WAITING 12 SEC FOR THIS LOCK TO BE GRANTED:
RECORD LOCKS space id 2 page no 4 n bits 72 index PRIMARY of table `shop`.`accounts` trx id 5000 lock_mode X waiting
------------------
---TRANSACTION 4999, ACTIVE 95 sec
2 lock struct(s), heap size 1128, 1 row lock(s), undo log entries 1
MySQL thread id 8, OS thread handle 139, query id 44 10.0.0.7 shop
"""


def test_the_status_of_innodb() -> None:
    assert is_mysql_log(INNODB)
    log = read_mysql("a", INNODB.splitlines())
    sessions = {one.pid: one for one in log.sessions}
    assert sessions[8].does == "idle-in-transaction"
    assert sessions[8].transaction_ms == 95_000
    (wait,) = log.waits
    assert (wait.waiter, wait.holders, wait.of, wait.waited_ms) == (9, (8,), "shop.accounts", 12_000)


def _section(name: str) -> str:
    return f"{'-' * len(name)}\n{name}\n{'-' * len(name)}\n"


def _running(statement: str) -> str:
    """The status, with a transaction before the others that runs this statement."""
    before = "---TRANSACTION 4990, ACTIVE 0 sec inserting\nmysql tables in use 1, locked 1\n0 lock struct(s)\n"
    own = f"{before}MySQL thread id 7, OS thread handle 138, query id 60 10.0.0.6 shop update\n{statement}\n"
    return INNODB.replace("---TRANSACTION 5000", own + "---TRANSACTION 5000", 1)


WAITER = """\
---TRANSACTION 6000, ACTIVE 90000 sec starting index read
LOCK WAIT 2 lock struct(s), heap size 1128, 1 row lock(s)
MySQL thread id 66, OS thread handle 140, query id 50 10.6.6.6 shop updating
UPDATE a SET b = 1
------- TRX HAS BEEN WAITING 90000 SEC FOR THIS LOCK TO BE GRANTED:
"""
TEXTS = (
    WAITER,
    _section("LATEST DETECTED DEADLOCK") + WAITER,
    _section("FILE I/O"),
    "END OF INNODB MONITOR OUTPUT\n" + INNODB,
    INNODB,
)


@folded("text", TEXTS)
def test_lines_of_a_statement_may_be_quoted_and_hide_none(text: str) -> None:
    log = read_mysql("a", _running(f"INSERT INTO n VALUES ('x\n{text}')").splitlines())
    assert log.may_be_quoted
    sessions = {one.pid: one for one in log.sessions}
    assert not sessions[7].may_be_quoted
    assert all(one.may_be_quoted for pid, one in sessions.items() if pid != 7)
    assert all(one.may_be_quoted for one in log.waits)
    assert (9, (8,)) in {(one.waiter, one.holders) for one in log.waits}


@folded(
    "statement",
    [
        "INSERT INTO n VALUES ('LATEST DETECTED DEADLOCK')",
        "INSERT INTO n VALUES ('Transactions deadlock detected, Too many connections')",
        "INSERT INTO n\n  VALUES (1, 'it''s') -- don't\n  , (2)",
        "INSERT INTO n VALUES ('TRANSACTIONS')",
    ],
)
def test_words_of_a_statement_change_nothing(statement: str) -> None:
    log = read_mysql("a", _running(statement).splitlines())
    assert not log.may_be_quoted
    assert log.events == ()
    (wait,) = log.waits
    assert (wait.waiter, wait.holders, wait.may_be_quoted) == (9, (8,), False)


def test_a_transaction_that_waits_is_known_before_its_statement() -> None:
    forged = "UPDATE a SET b = '\n------- TRX HAS BEEN WAITING 90000 SEC FOR THIS LOCK TO BE GRANTED:\n'"
    lines = INNODB.replace("UPDATE accounts SET a = 1 WHERE id = 7", forged).splitlines()
    (wait,) = read_mysql("a", lines).waits
    assert (wait.waiter, wait.may_be_quoted, wait.waited_ms) == (9, False, 12_000)
    running = INNODB.replace("LOCK WAIT ", "").replace("UPDATE accounts SET a = 1 WHERE id = 7", forged)
    assert read_mysql("a", running.splitlines()).waits == ()


def test_a_deadlock_that_is_over_is_an_event_and_no_wait() -> None:
    over = WAITER.replace("---TRANSACTION", "*** (1) TRANSACTION:\nTRANSACTION")
    text = INNODB.replace(
        _section("TRANSACTIONS"), _section("LATEST DETECTED DEADLOCK") + over + _section("TRANSACTIONS")
    )
    log = read_mysql("a", text.splitlines())
    assert [one.kind for one in log.events] == ["deadlocked"]
    assert [(one.waiter, one.may_be_quoted) for one in log.waits] == [(9, False)]
    forged = text.replace(
        "UPDATE a SET b = 1", "UPDATE a SET b = '\n" + _section("TRANSACTIONS") + WAITER + "'"
    )
    log = read_mysql("a", forged.splitlines())
    assert log.may_be_quoted
    assert all(one.may_be_quoted for one in log.waits)


def test_the_name_of_a_user_is_no_event_of_mysql() -> None:
    head = "2026-11-21T13:00:00.000000Z 5 [Note] [MY-010926] [Server] "
    lines = [
        head + "Access denied for user 'Too many connections'@'10.0.0.9' (using password: YES)",
        head
        + "Aborted connection 5 to db: 'a' user: '(Got timeout reading communication packets)' host: 'b' (x).",
    ]
    assert read_mysql("a", lines).events == ()
    assert [one.kind for one in read_mysql("a", [head + "Too many connections"]).events] == [
        "too-many-connections"
    ]


def test_mariadb_prints_its_own_name_and_microseconds() -> None:
    text = INNODB.replace("MySQL thread id", "MariaDB thread id").replace("12 SEC FOR", "12345678 us FOR")
    (wait,) = read_mysql("a", text.splitlines()).waits
    assert (wait.waiter, wait.holders, wait.waited_ms) == (9, (8,), 12_345.678)
    log = [
        "2026-11-28  6:52:46 0 [Note] Starting MariaDB 10.11.19-MariaDB-0+deb12u1 as process 26825",
        "2026-11-28  6:52:49 5 [Warning] Aborted connection 5 to db: 'shop' user: 'shop' host: '127.0.0.1'"
        " (Got an error reading communication packets)",
    ]
    assert is_mysql_log("\n".join(log))
    read = read_mysql("a", log)
    assert [one.kind for one in read.events] == ["client-lost"]
    assert read.last == "2026-11-28T06:52:49"
