"""Commands that CI systems look for in what any program prints.

GitHub takes `::error::` behind blanks at the start of a line, and `##[error]` anywhere in it; Azure Pipelines takes
`##vso[` and TeamCity `##teamcity[` anywhere. A name from evidence that holds one would fail a build or set one of its
variables. So the finished output of every format goes through here.
"""

from __future__ import annotations

import re

from mqdiag.lazy_pattern import lazy_pattern

_ANYWHERE = re.compile(r"#(?=#(?:vso|teamcity)?\[)", re.IGNORECASE)
_AT_LINE_START = re.compile(r"^([^\S\n]*):(?=:)", re.MULTILINE)
# What a reader does not see and an editor obeys: bidi controls, zero widths, separators of lines, C1 controls.
_HIDDEN = lazy_pattern("[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]")

JSON_FORMATS = frozenset(("json", "sarif"))
MARKUP_FORMATS = frozenset(("html", "junit"))
METRICS_FORMAT = "openmetrics"
"""the format in which a backslash begins an escape of its own"""
COMMANDS_FORMAT = "github"
"""the format that is made of commands"""


def without_commands(output: str, format_name: str = "text") -> str:
    """An output in which no evidence is a command; a reader of JSON, HTML or XML gets the same values as before."""
    if format_name in JSON_FORMATS:
        output = _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", output)
        return _ANYWHERE.sub(r"\\u0023", output)
    if format_name in MARKUP_FORMATS:
        return _AT_LINE_START.sub(r"\1&#58;", _ANYWHERE.sub("&#35;", output))
    output = _ANYWHERE.sub(r"\\\\x23" if format_name == METRICS_FORMAT else r"\\x23", output)
    return output if format_name == COMMANDS_FORMAT else _AT_LINE_START.sub(r"\1\\x3a", output)
