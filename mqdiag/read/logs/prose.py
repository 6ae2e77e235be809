"""Whether a text is a document that somebody wrote, which quotes logs: a ticket, a runbook, notes."""

from __future__ import annotations

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.logs.levels import HEAD_BYTES, level_in

LEAST_SENTENCES = 3
LEAST_SHARE = 0.3
"""share of the lines with text that are sentences; fewer lines of it may be records of a log"""
_NAMED_AS_DOCUMENT = lazy_pattern(
    r"(?i)(?:\.(?:md|txt|text|html?|rst|adoc|org|eml)|(?:^|[/!])(?:README|NOTES|TODO|RUNBOOK))$"
)
"""files that people write, by their ending, or by their whole name where they have none"""
_NAMED_AS_OUTPUT = lazy_pattern(
    r"(?i)(?:(?<![a-z])(?:console|std_?(?:out|err)|nohup|output|log|out|err)(?![a-z]))[^/!]{0,20}$"
)
_SENTENCE = lazy_pattern(
    rb"[\s>*#\d.-]{0,12}(?=[^\n]{0,400}\b(?:the|a|an|is|are|was|were|of|to|and|if|it|we|this|that|not|be|on|in)\b)"
    rb"[A-Za-z][a-z]{0,20}(?:(?:[.,;:)'\"]{0,2} ['\"(]?|-)[A-Za-z0-9]{1,20}){2,60}[.?!:)\"']{0,3}\s*\Z"
)
"""words and marks alone, one of them small: a program that tells what it does has names and numbers in its lines"""
LEAST_CHINESE = 0.6
"""share of the bytes of a Chinese sentence that are no ASCII"""
LEAST_CHINESE_BYTES = 12


def is_prose(name: str, head: bytes) -> bool:
    """Whether a text is a document rather than what a program wrote.

    Args:
        name: of its file.
        head: its first bytes.
    """
    if _NAMED_AS_DOCUMENT.search(name) is None or _NAMED_AS_OUTPUT.search(name) is not None:
        return False
    lines = [line for line in head.split(b"\n") if line.strip()]
    sentences = sum(map(is_sentence, lines))
    records = sum(level_in(line, HEAD_BYTES) is not None for line in lines)
    return sentences >= max(LEAST_SENTENCES, LEAST_SHARE * len(lines)) and records < LEAST_SHARE * len(lines)


def is_sentence(line: bytes) -> bool:
    """Whether a line is a sentence that somebody wrote."""
    return _SENTENCE.match(line) is not None or _is_chinese(line)


def _is_chinese(line: bytes) -> bool:
    others = len(line) - len(line.decode("ascii", "ignore"))
    return others >= max(LEAST_CHINESE_BYTES, LEAST_CHINESE * len(line))
