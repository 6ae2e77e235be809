"""English words in a Chinese report: all Latin words but names, which come from the evidence or stand in a list."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from enum import Enum
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from mqdiag.findings import Report
from mqdiag.language import Writer
from mqdiag.rules.catalogue import rule_files
from mqdiag.text import Text

NAMES = frozenset(
    (
        # products and what they call their own things
        "RocketMQ", "mqdiag", "mqadmin", "Broker", "NameServer", "Controller", "DLedger", "ConsumeQueue", "tag", "push",
        "pull", "pop", "POP", "clustering", "broadcasting", "Netty", "RocksDB", "Arthas", "Docker",
        "Commons", "Pool", "Jedis", "index", "STAT", "D", "T",
        "Elasticsearch", "Kubernetes", "Linux", "rocketmq-spring", "rocketmq-clients", "proxy", "systemd", "nofile",
        # the JVM
        "Java", "JVM", "JDK", "JNI", "GC", "HotSpot", "ZGC", "CMS", "Parallel", "Serial", "Shenandoah",
        "cleaner", "class", "setter", "handler", "Handler",
        "Full", "Future", "future", "latch", "to-space", "exhausted", "allocation", "stall",
        # files and hardware
        "commitlog", "consumequeue", "config", "SSD", "NFS", "inode", "swap", "iostat", "await", "util", "vmstat",
        "dmesg",
        # formats, protocols and levels of log lines
        "HTML", "HTTP", "JFR",
        "JSON", "XML", "TLS", "JDBC", "JMX", "IO", "IP", "CPU", "ELF", "UTC", "WARN", "ERROR", "INFO",
        "PAGECACHERT", "RETRY", "DLQ",
        "socket", "id", "false", "true",
        # stands for a number in texts of log lines; times
        "N", "x",
        "DNS", "NAT", "ID", "URL", "PID", "main", "shell", "FILE", "DUMP",
        "SIZE", "STORE", "HH", "MM", "TIMESTAMP", "NAMESRV", "BROKER_ADDRESS", "abort",
        # commands and tools
        "dnsmasq", "lslocks", "nscd", "systemd-resolved", "top", "nid",
        "jcmd", "jstack", "docker", "kubectl", "rsync", "cp", "sh", "profiler", "kill", "grep", "wc", "ls",
        # databases and caches: what they call their own things, and their commands
        "Lua", "DBCP", "pgjdbc", "SHOW", "FULL", "PROCESSLIST", "GET", "KEYS", "SLOWLOG", "BLPOP", "SET",
        "CLIENT", "LIST", "KILL", "QUERY", "Id", "Redis",
        "Lock", "active",
        # Java's and its libraries' own words
        "Spring", "starter", "Logback", "try-with-resources", "Druid", "Tomcat", "pom", "jar", "lib", "mvn", "gradle",
        "dependency", "tree", "dependencyInsight", "Alpine",
        "appender", "Throwable", "Error", "Condition", "monitor", "finally", "timeout",
        "connect", "key", "lite", "SUCCESS", "Phaser", "Exchanger", "synchronized", "notify",
    )
)  # fmt: skip
MARKS = re.compile(r"[RCWPwzSBi]+")
"""one letter for each sample of a thread, and their legend"""
UNITS = frozenset(["B", "KiB", "MiB", "GiB", "TiB", "ms", "s", "min", "h"])
_WORD = re.compile(r"[A-Za-z][A-Za-z'’]*(?:-[A-Za-z]+)*")
_CHUNK = re.compile(r"[!-~…]+")
_NAME = re.compile(r"^-|[./_$=@#<>\[\]\\~*…|\d]|[a-z][A-Z]|\(\)")
"""in an option, frame, class, path, setting or id, and in no word"""
_QUOTED = re.compile(
    r"`[^`\n]*`|# of [\w.-]+$|mqdiag [a-z]+|--detail [a-z]+|(?:jcmd|mqadmin|kubectl|docker|for i in) [!-~ ]*|“[!-~ ]*”|"
    r"\[[A-Z_]+\](?:system|broker) busy|[A-Za-z][\w.]*\([\w, ]*\)",
    re.ASCII | re.MULTILINE,
)
"""a command, the broker behind it, a call, a log message in quotation marks"""
_FRAMES = re.compile(r"(?<=[：、])at `?[\w$.<>]+\([^)]*\)`?")
"""as they stand in a dump, in a list"""
_ESCAPES = re.compile(r"<!-- -->|<wbr>|\\(?=[!-/:-@\[-`{-~])")
"""marks inside of names that Markdown and pages do not show"""
_HIDDEN = re.compile(r"<(script|style)\b.*?</\1>|<!--.*?-->", re.DOTALL)
_CODE = re.compile(r"<code\b[^>]*>(.*?)</code>", re.DOTALL)
_SPOKEN_ATTRIBUTE = re.compile(r'\b(?:title|alt|aria-label|placeholder|data-label)="([^"]*)"')


def english_words(written: str, report: Report, write: Writer) -> set[str]:
    """The words of a written report that are neither Chinese nor names.

    Args:
        written: text or Markdown of the report, or what `seen_words` gives for its page.
        report: what was written; its names, frames, log texts and values of evidence are no words of ours.
        write: the report's writer, which knows the commands as they were written.
    """
    # a command may go on in the next line
    written = re.sub(r"\n +", " ", _ESCAPES.sub("", written))
    for command in _commands(report, write):
        written = written.replace(_ESCAPES.sub("", command), " ")
    for reference in _references():
        written = reference.sub(" ", written)
    written = _QUOTED.sub(" ", _FRAMES.sub(" ", written))
    data, evidence = set(_strings(report)), {*_evidence(report), *_settings(report), *_hosts(report)}
    for phrase in sorted(data | evidence, key=len, reverse=True):
        if " " in phrase:
            written = written.replace(phrase, " ").replace(
                phrase.replace("\n", "\\n").replace("\t", "\\t"), " "
            )
    given = (data - vocabulary()) | evidence
    names = {word for one in given for word in _WORD.findall(one) if " " not in one}
    # The label of a figure may cut a log line.
    lines = {word for one in _strings(report.logs) if " " in one for word in _WORD.findall(one)}
    chunks = {chunk.strip(".,;:!?\"'") for chunk in _CHUNK.findall(written)}
    words = {word for chunk in chunks if not _NAME.search(chunk) for word in _WORD.findall(chunk)}
    words -= NAMES | UNITS | names | lines | rule_names()
    cut = {
        word
        for word in words
        if len(word) > 3 and any(line.startswith(word) for line in lines if "-" not in line)
    }
    return {word for word in words - cut if not MARKS.fullmatch(word)}


def seen_words(page: str) -> str:
    """What a reader sees of an HTML page, tooltips and labels included."""
    page = _CODE.sub(_code, _HIDDEN.sub(" ", _ESCAPES.sub("", page)))
    spoken = " \n".join(_SPOKEN_ATTRIBUTE.findall(page))
    return html.unescape(re.sub(r"<[^>]+>", "\n", page) + "\n" + spoken)


def _code(found: re.Match[str]) -> str:
    """Code goes on in the line of its sentence; several words of it have the marks that text gives them."""
    text = re.sub(r"<[^>]+>", "", found.group(1))  # flags in it are marked
    return f"`{text}`" if " " in text else text


@cache
def rule_names() -> frozenset[str]:
    """Names of rules and of the causes that they tell apart."""
    return frozenset(name for rule in rule_files() for name in (rule.card.name, *rule.card.causes))


@cache
def _references() -> tuple[re.Pattern[str], ...]:
    """Sources of the rules, the longest first: one may hold another. A page may mark code in them."""
    found = {reference for rule in rule_files() for reference in rule.card.references if " " in reference}
    return tuple(
        re.compile(re.escape(reference).replace(r"\ ", "`? `?"))
        for reference in sorted(found, key=len, reverse=True)
    )


@cache
def vocabulary() -> frozenset[str]:
    """Words of our own that the facts use as values, such as states: a report translates them."""
    found: set[str] = set()
    _literals(Report, found, set())
    return frozenset(found)


def _literals(kind: Any, found: set[str], seen: set[Any]) -> None:
    if get_origin(kind) is Literal:
        found.update(str(one) for one in get_args(kind))
    elif isinstance(kind, type) and issubclass(kind, msgspec.Struct) and kind not in seen:
        seen.add(kind)
        for field in get_type_hints(kind).values():
            _literals(field, found, seen)
    for part in get_args(kind):
        _literals(part, found, seen)


def _strings(value: Any) -> Iterator[str]:
    """All data of a report: texts, closed vocabularies and rule cards are words of ours, and left out."""
    if isinstance(value, msgspec.Struct):
        for field in msgspec.structs.fields(value):
            yield from _strings(getattr(value, field.name))
    elif isinstance(value, dict):
        for key, one in value.items():
            yield str(key)
            yield from _strings(one)
    elif isinstance(value, tuple | list):
        for one in value:
            yield from _strings(one)
    elif isinstance(value, str) and not isinstance(value, Enum):
        yield value


def _evidence(report: Report) -> Iterator[str]:
    """Keys of evidence as tables of evidence show them, and its values."""
    for finding in (*report.findings, *report.ignored):
        yield from (key.replace("_", " ") for key in finding.evidence)
        yield from _strings(finding.evidence)


def _settings(report: Report) -> Iterator[str]:
    """Names of settings that mqadmin printed; one of them is "log"."""
    if report.admin is not None:
        for client in report.admin.clients:
            yield from client.settings


def _hosts(report: Report) -> Iterator[str]:
    """Hosts that texts of findings name; one of them is "vm"."""
    several: list[object] = [*report.findings, *report.ignored]
    while several:
        one = several.pop()
        if isinstance(one, Text):
            yield from (
                host for name, host in one.values.items() if name.endswith("_host") and isinstance(host, str)
            )
            several += one.values.values()
        elif isinstance(one, msgspec.Struct):
            several += [getattr(one, name) for name in one.__struct_fields__]
        elif isinstance(one, tuple):
            several += one


def _commands(report: Report, write: Writer) -> Iterator[str]:
    """Lines for a shell, the same in every language."""
    actions = [one for finding in (*report.findings, *report.ignored) for one in (*finding.now, *finding.then)]
    if report.answer is not None and report.answer.next is not None:
        actions.append(report.answer.next)
    yield from sorted({write(one.command) for one in actions if one.command}, key=len, reverse=True)
    if report.verdict is not None:
        for missing in report.verdict.missing_evidence:
            for command in missing.commands:
                yield from (write(line) for line in command.lines)
