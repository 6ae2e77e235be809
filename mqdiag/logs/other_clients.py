"""Clients in other languages, told by the layout of their logs."""

from __future__ import annotations

import re

from mqdiag.lazy_pattern import lazy_pattern

_LAYOUTS: tuple[tuple[str, re.Pattern[bytes]], ...] = (
    # Boost's logger, with the function and the line at the end
    (
        "C++",
        lazy_pattern(
            rb"^\[\d{4}-(?:[A-Z][a-z]{2}|\d\d)-\d\d \d\d:\d\d:\d\d\.\d+\] ?"
            rb"\(?(?:trace|debug|info|warning|error|fatal)\)?:",
            re.M,
        ),
    ),
    # spdlog of the 2.x gRPC client in C++
    ("C++", lazy_pattern(rb"^\[[-\d]+ [\d:.]+\] \[(?:rocketmq|mqclient)\w*\] \[\w+\] ", re.M)),
    # spdlog of the gRPC client in C++: the level is a letter
    ("C++", lazy_pattern(rb"^\d{4}-\d\d-\d\d [\d:.]{8,15} \[--[TDIWEC]--\] \[ *\d+\] ", re.M)),
    ("Rust", lazy_pattern(rb"^\d{4}-\d\d-\d\dT[\d:.]{8,18}Z? +[A-Z]{4,5} rocketmq::", re.M)),
    # the caller's file, with the folder of the gRPC client in Go
    ("Go", lazy_pattern(rb"^\S{20,32}\t[A-Z]{4,5}\tgolang/\w+\.go:\d+\t", re.M)),
    # logrus, with the client's own keys
    ("Go", lazy_pattern(rb'^time="[^"]{10,40}" level=\w+ msg="', re.M)),
    # logrus on a terminal: the level and the seconds since the start, then the text and its keys
    (
        "Go",
        lazy_pattern(rb"^(?:\x1b\[\d+m)?(?:WARN|ERRO|FATA|INFO)(?:\x1b\[0m)?\[\d{4}\] \S.{0,300} \w+=", re.M),
    ),
    # zap, with the client's own keys
    (
        "Go",
        lazy_pattern(
            rb'^\{"level":"\w+","ts":[\d.]+,(?=.{0,600}"(?:PullRequest|MessageQueue|underlayError|consumerGroup)")',
            re.M,
        ),
    ),
    ("Python", lazy_pattern(rb"^\S.{0,60}\b(?:rocketmq[./]\w+\.py|\[\w+\.py:\d+\])", re.M)),
    (".NET", lazy_pattern(rb"\bOrg\.Apache\.Rocketmq\.|\|Org\.Apache\.Rocketmq|\bNewLife\.RocketMQ\.", re.M)),
)


def other_client(head: bytes) -> str | None:
    """The client that wrote a log with this beginning; None for the Java client, brokers and applications."""
    return next((name for name, layout in _LAYOUTS if layout.search(head)), None)
