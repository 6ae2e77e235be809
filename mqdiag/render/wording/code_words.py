"""The parts of a sentence that are code: setters, settings, flags and commands, and which of them a reader pastes.

Sentences mark few of them. Their forms tell them apart from words in every language of the reader: no language writes a
word as `consumeThreadMin`, `-Xmx2g` or `mqadmin consumerProgress -g orders`. A command that is not sure to be taken
whole is no code: half of a command is another command.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from mqdiag.lazy_pattern import lazy_pattern

_VALUE = r"(?:\d{1,3}(?:,\d{3})+\b|[\w.:/-]*\w)"
_FLAG_OF_COMMAND = rf"-{{1,2}}[A-Za-z0-9][\w-]*(?:=(?:'[^'\n]*'|{_VALUE}))?"
_ARGUMENT = rf"(?:{_FLAG_OF_COMMAND}|'[^'\n]*'|[\w%;-]*[:./][\w%:./;-]*\w|[A-Z]{{3,}}\b|\d+)"
_NAME_BEHIND_FLAG = r"(?<=-[a-z]\s)[\w%-]+"
_PROGRAMS = "jcmd|jstack|iostat|vmstat|telnet|kill|df"
_COPY_OF_FILES = r"\b(?:cp|rsync)\s-a(?:[^\n()（）']|'[^'\n]*'){1,1000}(?<!\s)(?=\s?[(（])"
"""up to the remark behind it: without its last folder it would copy to another one"""
_LOOP = r"\bfor\s\w+\sin\s[^\n]{1,200}?;\sdone\b"
_COMMAND = (
    rf"\b(?:mqadmin\s[a-z]+[A-Z]\w*(?:\s(?:{_ARGUMENT}|{_NAME_BEHIND_FLAG}))*"
    rf"|(?:{_PROGRAMS})(?:\s{_ARGUMENT})+)"
)
_OF_MQDIAG = (
    r"\bmqdiag\s(?:capture|diagnose|heap|logs|rules|show|stacks)"
    r"(?:\s(?:[A-Z]{3,}\b|--?[a-z][\w-]*|0x[0-9a-f]+))*"
)
_FLAG = rf"(?<![\w-])-(?:X[\w:+-]+(?:={_VALUE})?|D[\w.]*\w(?:={_VALUE})?|-[a-z][\w-]*\w(?:[ =]{_VALUE}=\w+)?)"
_ARGUMENTS = r"\((?:[^()\n]|\([^()\n]{0,60}\)){0,80}\)"
"""those of a call, which may be calls themselves"""
_CHAIN = rf"(?:\.[a-z]\w*{_ARGUMENTS})*"
_NAME = rf"(?<![\w$/.])(?!gRPC\b)(?:[A-Za-z_$][\w$]*\.)*[a-z]+[A-Z][\w$]*(?:={_VALUE}|{_ARGUMENTS}{_CHAIN})?"
_CALL = rf"(?<![\w$/.])[A-Z][\w$]*(?:\.[A-Za-z][\w$]*)*\.[a-z][\w$]*{_ARGUMENTS}{_CHAIN}"
_URL = r"\bjdbc:[\w:/…?&=.-]*\w"
_CONSTANT = r"\b[A-Z]{2,}(?:_[A-Z]+)+\b"
_CODE = lazy_pattern(
    "|".join(
        (r"`([^`\n]+)`", _LOOP, _COPY_OF_FILES, _COMMAND, _OF_MQDIAG, _URL, _FLAG, _CALL, _NAME, _CONSTANT)
    )
)
_WHOLE_COMMAND = lazy_pattern(rf"(?:(?:for|cp|rsync)\s|(?:mqadmin|mqdiag)\s\w+\s|(?:{_PROGRAMS})\s|jdbc:)")
_WHOLE_CALL = lazy_pattern(r"[\w$.]+\((?:[^)\n]|\)\.)[^\n]*\)\Z")
_WHOLE_SETTING = lazy_pattern(r"-X[^\n]+\Z|-{0,2}\w[\w.]*=[^\n]+\Z")


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


def pasted(codes: Collection[str]) -> frozenset[str]:
    """The codes of one step that a reader pastes: whole commands, whole calls, and settings with their values.

    A setting beside a call is how it is set at present: the call changes it.
    """
    commands, calls, settings = (
        frozenset(filter(whole.match, codes)) for whole in (_WHOLE_COMMAND, _WHOLE_CALL, _WHOLE_SETTING)
    )
    return commands | (calls or settings)
