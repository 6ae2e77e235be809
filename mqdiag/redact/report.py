"""A report without what may be personal: the same numbers and findings, placeholders for texts of the application.

The same text has the same placeholder everywhere in one report. Placeholders are numbered, not computed from the
texts, so that nobody can try guesses on them.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, TypeVar, get_args, get_type_hints

import msgspec

from mqdiag.findings import Finding, Report
from mqdiag.redact.report_fields import Treatment, treatments
from mqdiag.threads.roles import OTHER, POOL, role_of_name

HIDDEN = "(hidden)"
_Given = TypeVar("_Given", bound=msgspec.Struct)
_WORDS = {
    Treatment.THREAD: "thread",
    Treatment.KEY: "key",
    Treatment.MESSAGE: "message",
    Treatment.CLIENT: "client",
    Treatment.ADDRESS: "address",
    Treatment.SETTINGS: "text",
}
_COMMON_THREADS = re.compile(
    r"main|NettyEventExecutor|Thread-\d+|pool-\d+-thread(-\d+)?|ForkJoinPool[.-](\d+|commonPool)-worker-\d+"
)
"""names that the JDK itself and RocketMQ give"""
_CONSTANTS = frozenset(
    [
        "CLUSTERING",
        "BROADCASTING",
        "CONSUME_FROM_LAST_OFFSET",
        "CONSUME_FROM_FIRST_OFFSET",
        "CONSUME_FROM_TIMESTAMP",
        "CONSUME_FROM_LAST_OFFSET_AND_FROM_MIN_WHEN_BOOT_FIRST",
        "CONSUME_FROM_MIN_OFFSET",
        "CONSUME_FROM_MAX_OFFSET",
        "CONSUME_ACTIVELY",
        "CONSUME_PASSIVELY",
        "CREATE_JUST",
        "RUNNING",
        "SHUTDOWN_ALREADY",
        "START_FAILED",
        "LOCAL",
        "CLOUD",
        "JAVA",
        "ZLIB",
        "LZ4",
        "ZSTD",
        "SYNC_MASTER",
        "ASYNC_MASTER",
        "SLAVE",
        "SYNC_FLUSH",
        "ASYNC_FLUSH",
        "DEFAULT",
        "true",
        "false",
    ]
)
"""values of RocketMQ's enums and switches"""
_NAMING = re.compile(r"(?i).*(topic|group)|.*(topic|group|broker|cluster)name|.*topickey|.*version")
_WHOLE_WORDS = 6
"""characters below which a text must be a word of its own in a sentence"""
_SHORTEST = 3
"""characters below which a text is not looked for inside sentences: it would be found in every word"""
_NAMES = frozenset(("group", "topic", "broker", "queue_topic", "consumer_groups", "producer_groups"))
_STRING_CLASSES = ("java.lang.String", "char", "java.lang.Character", None)


def redact_report(report: Report) -> Report:
    """The report as it can be shown to others; see `report_fields` for what becomes of each text."""
    placeholders = _Placeholders()
    # Again and again: a sentence may speak of a thread that stands later in the report, a setting of such a group.
    _redacted(report, placeholders)
    placeholders.restart()
    _redacted(report, placeholders)
    return _redacted(report, placeholders)


class _Placeholders:
    """Placeholders by text, given out in the order in which texts are met."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        self._longest_first: list[str] | None = None
        self.names: set[str] = set()
        """of groups, topics and brokers: an instance name that is one tells nothing new"""

    def of(self, text: str, treatment: Treatment) -> str:
        """The placeholder of a text; digits alone tell nothing and stay."""
        if not text or text.isdigit() or text in self.names:
            return text
        if text not in self._known:
            word = _WORDS[treatment]
            self._counts[word] = self._counts.get(word, 0) + 1
            self._known[text] = f"{word}-{self._counts[word]}"
            self._longest_first = None
        return self._known[text]

    def restart(self) -> None:
        """Give the placeholders out anew, now that all names are known: so their numbers have no gaps."""
        self._known, self._counts, self._longest_first = {}, {}, None

    def inside(self, sentence: str) -> str:
        """A sentence with all known texts replaced."""
        if self._longest_first is None:
            usable = [text for text in self._known if len(text) >= _SHORTEST and text not in self.names]
            self._longest_first = sorted(usable, key=len, reverse=True)
        for text in self._longest_first:
            if text in sentence:
                pattern = re.escape(text)
                if len(text) < _WHOLE_WORDS:
                    pattern = rf"(?<!\w){pattern}(?!\w)"
                sentence = re.sub(pattern, self._known[text], sentence)
        return sentence


def _redacted(struct: _Given, placeholders: _Placeholders) -> _Given:
    """A struct with all of its texts treated, those of structs inside it included."""
    changes: dict[str, Any] = {}
    kind = type(struct)
    for name, treatment in _fields(kind):
        given = getattr(struct, name)
        if name in _NAMES:
            placeholders.names.update([given] if isinstance(given, str) else given or ())
        made = _treated(given, treatment, placeholders, struct)
        if made != given:
            changes[name] = made
    return msgspec.structs.replace(struct, **changes) if changes else struct


@cache
def _fields(kind: type[msgspec.Struct]) -> tuple[tuple[str, Treatment], ...]:
    """The fields of a type that may hold texts or structs."""
    declared = treatments()
    hints = get_type_hints(kind)
    return tuple(
        (name, declared.get(f"{kind.__name__}.{name}") or declared.get(name) or Treatment.HIDDEN)
        for name in kind.__struct_fields__
        if may_hold_text(hints[name])
    )


def may_hold_text(hint: Any) -> bool:
    """Whether a value of a type can be a text, or hold a struct."""
    if hint is str or hint is Any or (isinstance(hint, type) and issubclass(hint, msgspec.Struct)):
        return True
    return any(may_hold_text(part) for part in get_args(hint))


def _treated(given: Any, treatment: Treatment, placeholders: _Placeholders, owner: Any) -> Any:
    if isinstance(given, msgspec.Struct):
        return _redacted(given, placeholders)
    if isinstance(given, tuple | list):
        return type(given)(_treated(each, treatment, placeholders, owner) for each in given)
    if isinstance(given, dict):
        return {key: _entry(key, value, treatment, placeholders, owner) for key, value in given.items()}
    return _text(given, treatment, placeholders, owner) if isinstance(given, str) else given


def _entry(key: str, value: Any, treatment: Treatment, placeholders: _Placeholders, owner: Any) -> Any:
    """A value of a dictionary: settings and evidence have the names of fields as keys."""
    if treatment is Treatment.SETTINGS and isinstance(value, str):
        return value if _NAMING.fullmatch(key) else _setting(value, placeholders)
    if isinstance(owner, Finding) and treatment is Treatment.SENTENCE:
        own = treatments().get(key, treatment)
        return _treated(value, own if own in _WORDS else treatment, placeholders, owner)
    return _treated(value, treatment, placeholders, owner)


def _text(text: str, treatment: Treatment, placeholders: _Placeholders, owner: Any) -> str:
    if treatment is Treatment.STAYS:
        return text
    if treatment is Treatment.THREAD:
        return text if _is_known_thread(text) else placeholders.of(text, treatment)
    if treatment is Treatment.EVIDENCE:
        own = treatments().get(owner.key)
        treatment = own if own in _WORDS else Treatment.SENTENCE
        return _text(text, treatment, placeholders, owner)
    if treatment is Treatment.SENTENCE:
        return placeholders.inside(text)
    if treatment is Treatment.SETTINGS:
        return _setting(text, placeholders)
    if treatment is Treatment.LABEL:
        return _label(text, placeholders, owner)
    if treatment is Treatment.HIDDEN:
        return HIDDEN if text else text
    return placeholders.of(text, treatment)


def _setting(text: str, placeholders: _Placeholders) -> str:
    return text if text in _CONSTANTS else placeholders.of(text, Treatment.SETTINGS)


def _label(text: str, placeholders: _Placeholders, owner: Any) -> str:
    """Of a string its text, of a thread its name; of classes, enums and numbers no secret."""
    class_name = getattr(owner, "class_name", None)
    if class_name in _STRING_CLASSES:
        return text if text.isdigit() else HIDDEN
    if "Thread" in class_name:
        return _text(text, Treatment.THREAD, placeholders, owner)
    return text


def _is_known_thread(name: str) -> bool:
    """Threads of the JVM and of RocketMQ, and pools: their names are given by their code."""
    return bool(
        _COMMON_THREADS.fullmatch(name)
        or role_of_name(name).role not in (OTHER, POOL)
        or role_of_name(f"{name}_1").role not in (OTHER, POOL)
    )
