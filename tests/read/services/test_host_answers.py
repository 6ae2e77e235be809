"""What people paste of a host: df, free, top, ss with its queues, and the slow log of Redis."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.read.services.host_tables import is_host_table, read_host_tables
from mqdiag.read.services.reader import kind_of
from mqdiag.read.services.redis_slowlog import read_slowlog
from mqdiag.read.services.sockets import read_connections
from tests.folded import folded

DF = """\
Filesystem      Size  Used Avail Use% Mounted on
udev            7.8G     0  7.8G   0% /dev
/dev/loop3       56M   56M     0 100% /snap/core18/2829
/dev/vdb1       500G  497G  3.0G 100% /data/rocketmq
"""
WRAPPED = """\
Filesystem           1K-blocks      Used Available Use% Mounted on
/dev/mapper/vg_root-lv_root
                      51475068  49998224         0 100% /
tmpfs                  8166324   8166324         0 100% /run
/dev/sda1               495844    495844         0 100% /boot
"""
INODES = """\
Filesystem       Inodes    IUsed   IFree IUse% Mounted on
/dev/vdb1      32768000 32768000       0  100% /data/rocketmq
"""
FREE = """\
              total        used        free      shared  buff/cache   available
Mem:           15Gi        14Gi       121Mi        12Mi       160Mi       765Mi
Swap:         2.0Gi       2.0Gi       1.0Mi
"""
TOP = """\
top - 10:12:31 up 12 days,  3:44,  1 user,  load average: 58.12, 44.03, 20.91
Tasks: 231 total,   2 running, 229 sleeping,   0 stopped,   0 zombie
%Cpu(s):  2.1 us,  4.3 sy,  0.0 ni,  1.2 id, 92.1 wa,  0.0 hi,  0.3 si,  0.0 st
MiB Mem :  15884.0 total,    121.2 free,  15602.4 used,    160.4 buff/cache
MiB Swap:   2048.0 total,      1.0 free,   2047.0 used.     54.1 avail Mem

    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
   4711 rocketmq  20   0   12.1g   8.2g  12344 D  12.0  52.1   1234:56 java
"""
SLOWLOG = """\
1) 1) (integer) 14
   2) (integer) 1700000000
   3) (integer) 12034567
   4) 1) "EVALSHA"
      2) "e0e1f9fabfc9d4800c877a703b823ac0578ff8db"
   5) "10.0.1.5:50622"
   6) "orders"
2) 1) (integer) 13
   2) (integer) 1700000000
   3) (integer) 2034567
   4) 1) "KEYS"
      2) "order:*"
   5) "10.0.1.6:50622"
   6) ""
"""
PLAIN_SLOWLOG = """\
14
1700000000
12034567
EVALSHA
e0e1f9fabfc9d4800c877a703b823ac0578ff8db
10.0.1.5:50622
orders
13
1700000000
2034567
KEYS
order:*
10.0.1.6:50622

"""
SS = (
    """\
State      Recv-Q Send-Q Local Address:Port               Peer Address:Port
ESTAB      2145320 0     10.0.1.5:48814              10.0.2.8:3306               users:(("java",pid=4711,fd=89))
SYN-SENT   0      1      10.0.1.5:48816              10.0.2.10:8080              users:(("java",pid=4711,fd=91))
"""
    + 'CLOSE-WAIT 1      0      10.0.1.5:40001    10.0.2.11:8080    users:(("java",pid=4711,fd=100))\n' * 60
)
NETSTAT = """\
Proto Recv-Q Send-Q Local Address           Foreign Address         State       PID/Program name
tcp        1      0 10.0.1.5:40001          10.0.2.11:8080          CLOSE_WAIT  4711/java
tcp6       0      0 10.0.1.5:40002          10.0.2.8:3306           ESTABLISHED -
"""
PROCESSLIST = """\
Id\tUser\tHost\tdb\tCommand\tTime\tState\tInfo
5\tevent_scheduler\tlocalhost\tNULL\tDaemon\t90000\tWaiting on empty queue\tNULL
9\tshop\t10.0.1.5:48815\tstock\tQuery\t640\tWaiting for table metadata lock\tUPDATE reserved SET amount = 1
10\tshop\t10.0.1.6:48816\tstock\tSleep\t1200\t\tNULL
"""


@folded(
    "text, figures",
    [
        (DF, [("disk", "/data/rocketmq", 100.0)]),
        (WRAPPED, [("disk", "/", 100.0)]),
        (INODES, [("inodes", "/data/rocketmq", 100.0)]),
        (FREE, [("memory", None, 95.0)]),
        (TOP, [("memory", None, 99.7), ("io-wait", None, 92.1), ("stolen", None, 0.0)]),
        (DF + "\n" + FREE, [("disk", "/data/rocketmq", 100.0), ("memory", None, 95.0)]),
    ],
)
def test_shares_of_a_host(text: str, figures: list[tuple[str, str | None, float]]) -> None:
    assert is_host_table(text)
    assert [(one.of, one.place, one.percent) for one in read_host_tables("a", text)] == figures


@pytest.mark.parametrize("text", [SLOWLOG, PLAIN_SLOWLOG])
def test_slow_commands(text: str) -> None:
    assert kind_of(text) == "Redis slow log"
    first, second = read_slowlog("a", text.split("\n"))
    assert (first.name, first.ms, first.client, first.client_name) == (
        "EVALSHA",
        12034.567,
        "10.0.1.5:50622",
        "orders",
    )
    assert (second.argument, second.client, second.client_name) == ("order:*", "10.0.1.6:50622", None)


def test_values_of_redis_are_no_entries() -> None:
    """On a terminal they have other numbers before them; else all but the first entry may be of a client."""
    words = ("SADD", "k", "15", "1795267200", "99000000", "EVAL", "while true", "10.6.6.6:1")
    numbered = "".join(f'      {place}) "{word}"\n' for place, word in enumerate(words, 1)).lstrip()
    text = f"1) 1) (integer) 14\n   2) (integer) 1700000000\n   3) (integer) 12000\n   4) {numbered}"
    (only,) = read_slowlog("a", (text + '   5) "10.0.1.5:50622"\n   6) "orders"\n').split("\n"))
    assert (only.name, only.argument, only.ms, only.client) == ("SADD", "k", 12.0, "10.0.1.5:50622")
    raw = "14\n1700000000\n12000\n" + "\n".join(words) + "\n\n10.0.1.5:50622\norders\n"
    first, *others = read_slowlog("a", raw.split("\n"))
    assert (first.ms, first.may_be_quoted) == (12.0, False)
    assert others
    assert all(one.may_be_quoted for one in others)


def test_an_entry_that_a_client_may_have_written_has_low_confidence(tmp_path: Path) -> None:
    (tmp_path / "slow.txt").write_text(PLAIN_SLOWLOG.replace("\n12034567\n", "\n12\n"))
    (found,) = diagnose_incident([tmp_path]).report.findings
    assert (found.cause, found.confidence, found.may_be_quoted) == ("slow-command", "low", True)
    (tmp_path / "slow.txt").write_text(PLAIN_SLOWLOG)
    (found,) = diagnose_incident([tmp_path]).report.findings
    assert (found.evidence["ms"], found.confidence) == (12034.567, "medium")


def test_connections_by_state() -> None:
    rows = {(one.state, one.end): one for one in read_connections("a", SS.splitlines())}
    assert rows["CLOSE-WAIT", "10.0.2.11:8080"].count == 60
    assert rows["ESTAB", "10.0.2.8:3306"].unread_bytes == 2145320
    rows = {(one.state, one.pid): one for one in read_connections("a", NETSTAT.splitlines())}
    assert set(rows) == {("CLOSE-WAIT", 4711), ("ESTAB", None)}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (DF, ("fault", "disk-full")),
        (DF.replace("100% /data", " 50% /data"), ("undecided", None)),
        (TOP, ("fault", "waits-for-disks")),
        (SLOWLOG, ("fault", "slow-command")),
        (SS, ("fault", "not-closed")),
        (NETSTAT, ("undecided", None)),
        (PROCESSLIST, ("fault", "holder-unknown")),
        (PROCESSLIST.replace("\t640\t", "\t1\t"), ("undecided", None)),
    ],
)
def test_what_an_answer_alone_is_worth(text: str, told: tuple[str, str | None], tmp_path: Path) -> None:
    """Never an all-clear: it shows nothing of what is consumed."""
    (tmp_path / "answer.txt").write_text(text)
    report = diagnose_incident([tmp_path]).report
    first = report.findings[0].cause if report.findings else None
    assert (report.answer.state, first) == told
