"""Commands that CI systems look for in what any program prints.

GitHub takes `::error::` behind blanks at the start of a line, and `##[error]` anywhere in it; Azure Pipelines takes
`##vso[` and TeamCity `##teamcity[` anywhere. A name from evidence that holds one would fail a build or set one of its
variables. So the finished output of every format goes through here, and each format says how it is read.
"""

from __future__ import annotations

import enum
import re

from mqdiag.lazy_pattern import lazy_pattern

_ANYWHERE = re.compile(r"#(?=#(?:vso|teamcity)?\[)", re.IGNORECASE)
_AT_LINE_START = re.compile(r"^([^\S\n]*):(?=:)", re.MULTILINE)
# What a reader does not see and an editor obeys: bidi controls, zero widths, separators of lines, C1 controls.
_HIDDEN = lazy_pattern("[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]")


class Syntax(enum.Enum):
    """How a format writes a character so that its readers get the same value; each module of a format names its own."""

    PLAIN = enum.auto()
    """text for people: it has no escapes"""
    JSON = enum.auto()
    MARKUP = enum.auto()
    """HTML and XML"""
    METRICS = enum.auto()
    """OpenMetrics, in which a backslash begins an escape of its own"""
    COMMANDS = enum.auto()
    """commands of a CI system, which begin lines"""


def without_commands(output: str, syntax: Syntax) -> str:
    """An output in which no evidence is a command; a reader of JSON, HTML or XML gets the same values as before."""
    if syntax is Syntax.JSON:
        output = _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", output)
        return _ANYWHERE.sub(r"\\u0023", output)
    if syntax is Syntax.MARKUP:
        return _AT_LINE_START.sub(r"\1&#58;", _ANYWHERE.sub("&#35;", output))
    output = _ANYWHERE.sub(r"\\\\x23" if syntax is Syntax.METRICS else r"\\x23", output)
    return output if syntax is Syntax.COMMANDS else _AT_LINE_START.sub(r"\1\\x3a", output)
