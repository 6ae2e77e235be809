"""The parts of a sentence that a reader copies: setters, settings, flags and commands.

Sentences mark few of them. Their forms tell them apart from words in every language of the reader: no language writes a
word as `consumeThreadMin`, `-Xmx2g` or `mqadmin consumerProgress -g orders`. A command that is not sure to be taken
whole is no code: half of a command is another command.
"""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.lazy_pattern import lazy_pattern

_VALUE = r"[\w.:/-]*\w"
_FLAG_OF_COMMAND = rf"-{{1,2}}[A-Za-z0-9][\w-]*(?:=(?:'[^'\n]*'|{_VALUE}))?"
_ARGUMENT = rf"(?:{_FLAG_OF_COMMAND}|'[^'\n]*'|[\w%;-]*[:./][\w%:./;-]*\w|[A-Z]{{3,}}\b|\d+)"
_NAME_BEHIND_FLAG = r"(?<=-[a-z]\s)[\w%-]+"
_COMMAND = (
    rf"\b(?:mqadmin\s[a-z]+[A-Z]\w*(?:\s(?:{_ARGUMENT}|{_NAME_BEHIND_FLAG}))*"
    rf"|(?:jcmd|jstack|iostat|vmstat|telnet|kill|df)(?:\s{_ARGUMENT})+)"
)
_OF_MQDIAG = (
    r"\bmqdiag\s(?:capture|diagnose|heap|logs|rules|show|stacks)"
    r"(?:\s(?:[A-Z]{3,}\b|--?[a-z][\w-]*|0x[0-9a-f]+))*"
)
_FLAG = rf"(?<![\w-])-(?:X[\w:+-]+(?:={_VALUE})?|D[\w.]*\w(?:={_VALUE})?|-[a-z][\w-]*\w(?:[ =]{_VALUE}=\w+)?)"
_NAME = rf"(?<![\w$/.])(?!gRPC\b)(?:[A-Za-z_$][\w$]*\.)*[a-z]+[A-Z][\w$]*(?:={_VALUE}|\([^()\n]{{0,60}}\))?"
_CALL = r"(?<![\w$/.])[A-Z][\w$]*(?:\.[A-Za-z][\w$]*)*\.[a-z][\w$]*\([^()\n]{0,60}\)"
_CONSTANT = r"\b[A-Z]{2,}(?:_[A-Z]+)+\b"
_CODE = lazy_pattern("|".join((r"`([^`\n]+)`", _COMMAND, _OF_MQDIAG, _FLAG, _CALL, _NAME, _CONSTANT)))


def code_words(sentence: str) -> Iterator[tuple[str, bool]]:
    """The parts of a written sentence in their order, each with whether it is code; backticks are left out."""
    end = 0
    for found in _CODE.finditer(sentence):
        if found.start() > end:
            yield sentence[end : found.start()], False
        yield found[1] or found[0], True
        end = found.end()
    if end < len(sentence):
        yield sentence[end:], False
