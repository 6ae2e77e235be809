"""Words in capitals of commands that stand for names which the evidence tells."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

from mqdiag.diagnose.next_step import facts_of
from mqdiag.facts.known import KnownOfRun
from mqdiag.findings import Action, Report, Severity
from mqdiag.language import english

WORDS = {
    "PID": "pid",
    "GROUP": "group",
    "TOPIC": "topic",
    "NAMESRV:9876": "name_server",
    "CLUSTER": "cluster",
    "STORE": "store_folder",
    "BROKER_NAME": "broker",
    "BROKER_ADDRESS": "broker_address",
    "BROKER": "broker_address",
    "DUMP": "dump",
}
WORD = re.compile(rf"(?<![\w-])({'|'.join(WORDS)})(?![\w-])")


def lacking(report: Report) -> Iterator[str]:
    """Words that stand for a name which the evidence tells."""
    run = KnownOfRun(facts_of(report))
    alone = not report.other_processes
    for found in report.findings:
        subject = found.subject
        known = run.of(subject.group, subject.topic, subject.broker, seen_in=found.seen_in)
        for action in (*found.now, *found.then):
            yield from (f"{found.rule}: {word}" for word in told(action) if alone and known[WORDS[word]])
    if report.answer.next is not None:
        alone_logs = report.logs is not None and report.heap is None and report.stacks is None
        known = run.of(None, None, None, seen_in=("logs",) if alone_logs else ())
        yield from (f"next: {word}" for word in told(report.answer.next) if alone and known[WORDS[word]])


def told(action: Action) -> list[str]:
    write = english()
    return WORD.findall(f"{write(action.text)} {write(action.command)}")


# What the text of the evidence tells, looked for without any reader of mqdiag: words that must not be left over.
TOLD_BY_TEXT = {
    "NAMESRV:9876": rb"\bnamesrvAddr='?([\d.]+:\d+)|name server address updated\. NEW : \[([\d.]+:\d+)\]"
    rb"|to name server ([\d.]+:\d+) OK",
    "BROKER": rb"brokerAddrs=\{0=([\d.]+:\d+)\}",
    "BROKER_ADDRESS": rb"brokerAddrs=\{0=([\d.]+:\d+)\}",
    "PROXY": rb"clientEndpoints=(?:ipv4|dns):([\w.:-]+)",
    "PROXY:8081": rb"clientEndpoints=(?:ipv4|dns):([\w.:-]+)",
    "CONSUMER_PID": rb"clientId=[\w-]+@(\d+)@",
    "CLUSTER": rb"\bbrokerClusterName=([\w-]+)",
    "PID": rb"ClientID:[\d.]+@(\d{1,7})\b",
}
ENDED = b" shutdown OK"
OF_PROCESSES = frozenset(("heap", "stacks", "logs"))
"""kinds of evidence that tell their process"""


def text_of(folder: Path) -> bytes:
    """All texts of a fixture but those that tell about it."""
    told = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name not in ("truth.json", "truth.toml", "origin.md", "first_run.json"):
            data = path.read_bytes()
            if path.name.endswith((".txt.gz", ".log.gz")):
                data = gzip.decompress(data)
            told.append(b"" if ".hprof" in path.name or ".tar" in path.name else data)
    return b"\n".join(told)


def told_by_text(word: str, text: bytes) -> bool:
    """Whether exactly one value stands there, of a process that has not ended."""
    groups = re.findall(TOLD_BY_TEXT[word], text)
    values = {value for found in groups for value in (found if isinstance(found, tuple) else (found,)) if value}
    return len(values) == 1 and not (word.endswith("PID") and ENDED in text)


def left_over(report: Report, text: bytes) -> Iterator[str]:
    """Words of the first actions that stand for what the text tells."""
    steps = [
        (found.rule, found.lies_at if {*found.seen_in} <= OF_PROCESSES else "any", action)
        for found in report.findings
        if found.severity is not Severity.INFO  # what is shown as a step
        for action in found.now
    ]
    if report.answer.next is not None:
        steps.append(("next", "client", report.answer.next))
    for rule, lies_at, action in steps:
        for word in re.findall(r"(?<![\w-])[A-Z][A-Z_]+(?::\d+)?(?![\w-])", english()(action.command)):
            # dumps and logs of other processes than the client's have a process id of their own
            own = word != "PID" or lies_at == "client"
            if word in TOLD_BY_TEXT and own and told_by_text(word, text):
                yield f"{rule}: {word}"


def assert_told(report: Report, folder: Path) -> None:
    """That no command of a report has a word for what its evidence tells.

    Raises:
        AssertionError: one has.
    """
    words = sorted({*left_over(report, text_of(folder)), *lacking(report)})
    assert not words, f"{', '.join(words)}: its evidence tells what stands there"
