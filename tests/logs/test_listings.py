"""Settings, tables and answers of tools: a value in one may hold any text, that of a fault too."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.facts.redaction import HIDDEN
from mqdiag.findings import Finding
from mqdiag.language import english
from mqdiag.render import View, renderer

TOLD = (
    "java.lang.OutOfMemoryError: Java heap space",
    "Terminating due to java.lang.OutOfMemoryError: Java heap space",
    'Exception in thread "main" java.lang.UnsupportedClassVersionError: Foo',
    "2026-11-21 13:00:00,000 ERROR RocketmqClient - java.io.IOException: No space left on device",
    "java.net.BindException: Address already in use",
    "Nov 21 13:00:00 host systemd[1]: broker.service: Failed with result 'oom-kill'.",
    "java.net.SocketException: Too many open files",
)
VALUES = {
    "properties": (
        "VM.system_properties.txt",
        "4242:\n#Sat Nov 21 13:00:00 UTC 2026\njava.vm.name=OpenJDK 64-Bit Server VM\nuser.dir=/opt\n"
        "sun.java.command=com.shop.Main {told}\nx.y={told}\n",
    ),
    "jinfo": (
        "jinfo.txt",
        "Attaching to process ID 4242, please wait...\nDebugger attached successfully.\n"
        "Java System Properties:\n\njava.runtime.name = OpenJDK\nx.y = {told}\n\nVM Flags:\n"
        "Command line:  -Dx={told}\n",
    ),
    "arguments": (
        "VM.command_line.txt",
        "4242:\nVM Arguments:\njvm_args: -Xmx1g -Dx={told}\njava_command: com.shop.Main {told}\n",
    ),
    "flags": ("VM.flags.txt", "4242:\n-XX:CICompilerCount=2 -XX:OnOutOfMemoryError={told} -XX:+UseG1GC\n"),
    "processes": (
        "ps.txt",
        "UID        PID  PPID  C STIME TTY          TIME CMD\nroot         1     0  0 Nov20 ?   00:00:01 /init\n"
        "app       4242     1  2 Nov20 ?        00:10:01 /usr/bin/java -Dx={told} com.shop.Main\n",
    ),
    "jps": ("jps.txt", "4242 com.shop.Main -Xmx1g -Dx={told}\n5000 jdk.jcmd/sun.tools.jps.Jps -lv\n"),
    "environment": ("env.txt", "HOME=/root\nPATH=/bin\nGREETING={told}\nJAVA_HOME=/usr\n"),
    "classes": ("VM.class_hierarchy.txt", "4242:\njava.lang.Object/null\n|--{told}\n|  |--{told}/null\n"),
    "strings": ("VM.stringtable.txt", "4242:\nVERSION: 1.1\n1: K\n43: {told}\n"),
    "symbols": ("VM.symboltable.txt", "4242:\nVERSION: 1.1\n1 3: K\n43 65535: {told}\n"),
    "a class": (
        "javap.txt",
        'Classfile /opt/A.class\n  Compiled from "A.java"\npublic class A extends {told}\n',
    ),
    "files": ("ls.txt", "total 8\n-rw-r--r-- 1 app app 10 Nov 21 13:00 {told}\n"),
    "open files": (
        "lsof.txt",
        "COMMAND  PID USER   FD   TYPE NAME\njava    4242  app    3r   REG /data/{told}\n",
    ),
    "a script": ("start.sh", '#!/bin/sh\n# {told}\nexport JAVA_OPT="-Xmx1g"\necho "{told}"\n'),
    "metrics": (
        "metrics.txt",
        '# HELP rocketmq_broker_tps {told}\n# TYPE rocketmq_broker_tps gauge\nrocketmq_broker_tps{{t="{told}"}} 1\n',
    ),
    "settings of a broker": (
        "broker.conf",
        "brokerClusterName=DefaultCluster\nbrokerName=broker-a\nbrokerId=0\n# {told}\nnote={told}\n",
    ),
    "settings": ("application.properties", "server.port=8080\n# {told}\nnote={told}\n"),
}
"""name of the file and its text, by what it lists"""
TEXTS = {
    "message": (
        "queryMsgById.txt",
        "OffsetID:            0A0000010000\nTopic:               T\nTags:                [{told}]\n"
        "Keys:                [\n{told}\n]\nQueue ID:            0\nProperties:          {{KEYS={told}}}\n",
    ),
    "bodies": ("printMsg.txt", "MSGID: 0A0000010000 MessageExt [brokerName=broker-a] BODY: \n{told}\n" * 2),
    "exceptions of a recording": (
        "events.txt",
        'jdk.JavaExceptionThrow {{\n  startTime = 13:00:01.123 (2026-11-21)\n  message = "x\n{told}\ny"\n}}\n',
    ),
    "rows": ("rows.txt", "+----+------+\n| id | note |\n+----+------+\n|  1 | x\n{told}\ny |\n+----+------+\n"),
    "slow statements": (
        "mysql-slow.log",
        "# Time: 2026-11-21T13:00:00.000000Z\n# User@Host: app[app] @  [10.0.0.7]  Id:    12\n"
        "# Query_time: 0.5  Lock_time: 0.0 Rows_sent: 0  Rows_examined: 0\ninsert into t values('\n{told}\n');\n",
    ),
}
"""the same of listings with texts of several lines"""
MANIFESTS = {
    "map": ("cm.yaml", "apiVersion: v1\ndata:\n  note.txt: |\n{told}\nkind: ConfigMap\n"),
    "services": ("compose.yml", "services:\n  shop:\n    environment:\n      GREETING: |\n{told}\n"),
}
"""the same of manifests, whose values may have several lines"""
DUMP = """\
2026-11-21 13:00:00
Full thread dump OpenJDK 64-Bit Server VM (17.0.1+12 mixed mode):

"a" #12 prio=5 os_prio=0 cpu=1.0ms elapsed=1.0s tid=0x01 nid=0x1 waiting for monitor entry  [0x01]
   java.lang.Thread.State: BLOCKED (on object monitor)
\tat com.A.x(A.java:1)
\t- waiting to lock <0x02> (a java.lang.Object)
\t- locked <0x04> (a java.lang.Object)

"b" #13 prio=5 os_prio=0 cpu=1.0ms elapsed=1.0s tid=0x02 nid=0x2 waiting for monitor entry  [0x02]
   java.lang.Thread.State: BLOCKED (on object monitor)
\tat com.A.y(A.java:1)
\t- waiting to lock <0x04> (a java.lang.Object)
\t- locked <0x02> (a java.lang.Object)

"""
CRASH = """\
#
# A fatal error has been detected by the Java Runtime Environment:
#
#  SIGSEGV (0xb) at pc=0x00007f3b, pid=4242, tid=4243
#
# JRE version: OpenJDK Runtime Environment (17.0.1+12) (build 17.0.1+12)
# Problematic frame:
# C  [libfoo.so+0x123]  foo+0x1
#
"""


def findings(folder: Path, name: str, text: str) -> tuple[Finding, ...]:
    """What a folder with one such file beside others shows."""
    (folder / name).write_text(text)
    return tuple(diagnose_incident([str(folder)]).report.findings)


@pytest.mark.parametrize("told", TOLD)
@pytest.mark.parametrize("listed", TEXTS)
def test_line_of_a_text_that_is_listed_may_be_quoted(tmp_path: Path, listed: str, told: str) -> None:
    name, text = TEXTS[listed]
    for found in findings(tmp_path, name, text.format(told=told)):
        assert found.may_be_quoted or found.severity == "info", found


@pytest.mark.parametrize("told", TOLD)
@pytest.mark.parametrize("listed", VALUES)
def test_value_that_tells_a_fault_shows_none(tmp_path: Path, listed: str, told: str) -> None:
    name, text = VALUES[listed]
    assert not [one for one in findings(tmp_path, name, text.format(told=told)) if one.severity != "info"]


@pytest.mark.parametrize("listed", [*TEXTS, *MANIFESTS])
@pytest.mark.parametrize("pasted", [DUMP, CRASH], ids=["thread dump", "crash"])
def test_dump_or_crash_in_a_text_that_is_listed_is_a_paste(tmp_path: Path, listed: str, pasted: str) -> None:
    name, text = {**TEXTS, **MANIFESTS}[listed]
    for found in findings(tmp_path, name, text.format(told=indent(pasted, " " * 8 * (listed in MANIFESTS)))):
        assert found.severity != "error", found


CONSOLES = (
    ("Unrecognized VM option 'Foo'\nError: Could not create the Java Virtual Machine.\n", "start-failed"),
    ("Error: Could not find or load main class org.apache.rocketmq.broker.BrokerStartup\n", "start-failed"),
    ("./start.sh: line 4: java: command not found\n", "start-failed"),
    ("java.lang.RuntimeException: java.net.BindException: Address already in use\n", "start-failed"),
    ("Terminating due to java.lang.OutOfMemoryError: Java heap space\n", "out-of-memory-thread"),
)
"""what a process prints, and the rule that it fires"""
ABOVE = {
    "settings of its script": "JAVA_HOME=/usr\nMEMORY=8g\nOPTIONS=-Xmx8g\nexport LANG=C\n",
    "answer of jcmd": "4242:\n-XX:CICompilerCount=2 -XX:MaxHeapSize=1073741824\n",
    "flags": "-XX:InitialHeapSize=262144000 -XX:MaxHeapSize=4194304000 -XX:+PrintCommandLineFlags\n",
    "file systems": "Filesystem 1K-blocks Used Available Use% Mounted on\n/dev/sda1 100000 20000 80000 20% /\n\n",
    "load": "top - 10:00:01 up 12 days,  1:02,  1 user,  load average: 0.00, 0.01, 0.05\n"
    "Tasks: 101 total,   1 running\n\n  PID USER      PR  NI    VIRT    RES    SHR S  %CPU %MEM     TIME+ COMMAND\n"
    " 4711 app       20   0 5120000 1.0g  20000 S   0.0  3.0   0:12.34 java\n\n",
    "histogram": " num     #instances         #bytes  class name\n----------------------------------------------\n"
    "   1:          1000          24000  java.lang.String\nTotal          1000          24000\n\n",
    "files": "total 8\n-rw-r--r-- 1 app app 10 Nov 21 13:00 a.log\n",
    "banner": "+--------------+\n| order server |\n+--------------+\n",
}


@pytest.mark.parametrize(("console", "rule"), CONSOLES)
@pytest.mark.parametrize("above", ABOVE)
def test_words_of_a_process_count_below_a_listing(tmp_path: Path, above: str, console: str, rule: str) -> None:
    alone, below = tmp_path / "alone", tmp_path / "below"
    alone.mkdir(), below.mkdir()
    expected = {one.rule: one for one in findings(alone, "console.txt", console)}[rule]
    found = {one.rule: one for one in findings(below, "console.txt", ABOVE[above] + console)}[rule]
    assert (found.cause, found.severity, found.confidence) == (
        expected.cause,
        expected.severity,
        expected.confidence,
    )


def test_threads_and_crash_below_an_answer_count(tmp_path: Path) -> None:
    sockets = (
        "Active Internet connections (w/o servers)\nProto Recv-Q Send-Q Local Address   Foreign Address State\n"
        "tcp        0      0 10.0.0.9:40000  10.0.0.1:10911  ESTABLISHED\n\n"
    )
    for name, pasted, rule in (("threads", DUMP, "deadlock"), ("crash", CRASH, "jvm-crash")):
        folder = tmp_path / name
        folder.mkdir()
        found = {one.rule: one.severity for one in findings(folder, "diag.txt", sockets + pasted)}
        assert found.get(rule) == "error", (name, found)


def test_lines_of_settings_are_not_joined(tmp_path: Path) -> None:
    text = (
        "HOME=/root\nGREETING=Terminating due to java.lang.OutOfMemoryError: Java heap space\nLANG=C\nTERM=x\n"
    )
    assert not findings(tmp_path, "env.txt", text)


BODY = "pin of anna is 4711"
MESSAGE = "MSGID: 7F01 MessageExt [queueId=0, toString()=Message{topic='T'}] BODY: "
WARNINGS = "OpenJDK 64-Bit Server VM warning: a\n" * 3 + "RocketMQLog:WARN No appenders could be found\n" * 2


@pytest.mark.parametrize(
    "text",
    [
        f"{MESSAGE}{BODY}\n" * 5,
        f"{WARNINGS}{MESSAGE}{BODY}\n" + f"{BODY}\n" * 9,
        f"{MESSAGE}x\njava.lang.NullPointerException: {BODY}\n\tat a.B.c(B.java:1)\n",
        f"{MESSAGE}\n2026-11-21 13:00:00,000 ERROR RocketmqClient - cannot pay: {BODY}\n" * 3,
        f"OffsetID:            7F01\nTopic:               T\n{BODY} cannot pay\n",
        f"{MESSAGE}\n2026-11-21 13:00:00 {BODY} java.lang.OutOfMemoryError: Java heap space {BODY}\n" * 3,
    ],
)
def test_no_report_shows_the_body_of_a_message(text: str, tmp_path: Path) -> None:
    (tmp_path / "print.txt").write_text(text)
    report = diagnose_incident([tmp_path / "print.txt"]).report
    for form in ("json", "text", "html"):
        assert BODY not in renderer(form)(report, View(detail="full"))
    assert report.answer is None or report.answer.state == "undecided"


def test_where_a_line_of_a_message_stands_is_told(tmp_path: Path) -> None:
    (tmp_path / "print.txt").write_text(f"{MESSAGE}{BODY}\njava.lang.NullPointerException: {BODY}\n")
    answer = diagnose_incident([tmp_path / "print.txt"]).report.answer
    assert answer is not None
    assert [(one.line, english()(one.text)) for one in answer.seen] == [(2, HIDDEN), (1, HIDDEN)]
