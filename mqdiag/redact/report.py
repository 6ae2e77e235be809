"""A report without what may be personal: the same numbers and findings, placeholders for texts of the application.

What becomes of each text is said in its field's type (`mqdiag.facts.redaction`); the values of sentences and of
evidence are the texts of fields, and get the same placeholders. Placeholders are numbered, not computed from the
texts, so that nobody can try guesses on them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from mqdiag.facts.redaction import HIDDEN, Redact
from mqdiag.facts.shown import ShownObject, ShownValue
from mqdiag.findings import Finding, Report
from mqdiag.knowledge import packed
from mqdiag.redact.telling_numbers import is_telling
from mqdiag.text import Text, Value
from mqdiag.threads.roles import NAMELESS_VIRTUAL, OTHER, POOL, role_of_name

_PORT = r":\d{1,5}"
_IPV4 = rf"(?<![^\W_])(?:\d{{1,3}}\.){{3}}\d{{1,3}}(?:{_PORT})?(?![^\W_]|\.\w)"
_IPV6 = r"(?=[\dA-Fa-f:]{0,37}::|(?:[\dA-Fa-f]{1,4}:){7})[\dA-Fa-f:.]{3,45}+(?:%\w{1,20})?"
"""two colons in a row, or eight groups: a time of the day has neither"""
_HOST_AND_PORT = rf"(?<![\w-])(?=[\d_.-]*+[^\W\d_])[\w.-]++{_PORT}(?![\w:])"
_HOST_IN_NUMBERS = re.compile(rf"(\d{{1,3}}(?:\.\d{{1,3}}){{3}}|{_IPV6}|\[{_IPV6}\])({_PORT})?")
_NAMED_SERVER = re.compile(rf"([\w.-]{{1,255}})({_PORT})")
ADDRESS = re.compile(rf"\[{_IPV6}\](?:{_PORT})?|(?<![.:])(?:{_IPV4}|{_HOST_AND_PORT}|(?<!\w){_IPV6}(?!\w))")
_Given = TypeVar("_Given", bound=msgspec.Struct)
_WORDS = {
    Redact.THREAD: "thread",
    Redact.KEY: "key",
    Redact.MESSAGE: "message",
    Redact.CLIENT: "client",
    Redact.ADDRESS: "address",
    Redact.SETTING: "text",
    Redact.PROCESS: "host",
}
"""what the placeholders are called"""
_BY_NAME = frozenset((Redact.THREAD, Redact.KEY, Redact.MESSAGE, Redact.CLIENT, Redact.ADDRESS))
"""texts that are redacted wherever a value has the name of such a field"""
_COMMON_THREADS = re.compile(
    r"main|NettyEventExecutor|Thread-\d+|pool-\d+-thread(-\d+)?|ForkJoinPool[.-](\d+|commonPool)-worker-\d+"
)
"""names that the JDK itself and RocketMQ give"""


class _NotPersonal(msgspec.Struct, forbid_unknown_fields=True):
    constants: frozenset[str]
    """values of RocketMQ's enums and switches"""
    keys: frozenset[str]
    """names under which evidence and sentences state texts of our own"""
    settings: frozenset[str]
    """names under which they state values of settings"""
    threads: frozenset[str]
    """names under which they state threads"""


_DATA = packed.decode(packed.ROOT, "redaction", _NotPersonal)
_CONSTANTS = _DATA.constants
_NAMING = re.compile(r"(?i).*(topic|group)|.*(topic|group|broker|cluster)name|.*topickey|.*version")
_OF_ROCKETMQ = re.compile(r"(?:.*_)?(?:topics?|groups?|cluster)|without_brokers")
"""public fields whose texts clients choose: an address or a key can stand in the place of such a name"""
_PUBLIC_NAMES = frozenset(("group", "topic", "broker", "queue_topic", "consumer_groups", "producer_groups"))
_STRING_CLASSES = ("java.lang.String", "char", "java.lang.Character", None)
_ON_HOST = re.compile(r" on (\S+)")
"""what a capture adds to the name of a process"""
_FIXED = re.compile(r"[-\d.,:+TZ /%]*")
"""numbers and times"""
_QUOTED = re.compile(r'"([^"]*)"')


def redact_report(report: Report) -> Report:
    """The report as it can be shown to others."""
    placeholders = _Placeholders()
    # First all facts, so that sentences and evidence find the placeholders of what they state.
    _redacted(report, placeholders)
    placeholders.knows_facts = True
    return _redacted(report, placeholders)


def redact_rows(rows: Iterable[_Given]) -> tuple[_Given, ...]:
    """Facts as they can be shown to others, with placeholders that all of them share."""
    placeholders = _Placeholders()
    return tuple(_redacted(row, placeholders) for row in rows)


class _Placeholders:
    """Placeholders by text, given out in the order in which texts are met."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        self.knows_facts = False
        self.shown: set[str] = set()
        """texts of public fields"""
        self.public: set[str] = set()
        """names of groups, topics and brokers: an instance name that is one tells nothing new"""

    def of(self, text: str, treatment: Redact) -> str:
        """The placeholder of a text; digits alone tell nothing and stay."""
        if not text or text.isdigit() or text in self.public or self._is_placeholder(text):
            return text
        if text not in self._known:
            word = _WORDS[treatment]
            self._counts[word] = self._counts.get(word, 0) + 1
            self._known[text] = f"{word}-{self._counts[word]}"
        return self._known[text]

    def without_addresses(self, text: str) -> str:
        """A name with placeholders for the addresses and the secrets in it, wherever else it is stated."""
        made = ADDRESS.sub(lambda found: self.of(found[0], Redact.ADDRESS), text)
        for secret in _secrets_in(text):
            made = made.replace(secret, self.of(secret, Redact.KEY))
        return self.replaced(text, made)

    def replaced(self, text: str, made: str) -> str:
        """What a text becomes wherever it is stated."""
        if made != text:
            self._known[text] = made
        return made

    def publish(self, names: Iterable[str]) -> None:
        """Names that stay wherever they are stated; an address or a secret in the place of a name does not."""
        self.public.update(name for name in names if not (ADDRESS.search(name) or _secrets_in(name)))

    def hide(self, text: str) -> str:
        """A piece of evidence, which is hidden wherever else it is stated."""
        if text and text not in self._known and text not in self.public:
            self._known[text] = HIDDEN
        return HIDDEN if text else text

    def known(self, text: str) -> str:
        """The text, or its placeholder where a field has one for it."""
        return text if text in self.public else self._known.get(text, text)

    def is_harmless(self, text: str) -> bool:
        """Whether a text may be read whatever it is stated under."""
        is_number = _FIXED.fullmatch(text) is not None and ADDRESS.search(text) is None
        return is_number or text in self.shown or text in _CONSTANTS

    def _is_placeholder(self, text: str) -> bool:
        word, _, number = text.rpartition("-")
        return word in self._counts and number.isdigit() and int(number) <= self._counts[word]


def _redacted(struct: _Given, placeholders: _Placeholders) -> _Given:
    """A struct with all of its texts treated, those of structs inside it included."""
    changes: dict[str, Any] = {}
    for name, treatment in treatments(type(struct)):
        given = getattr(struct, name)
        if name in _PUBLIC_NAMES and isinstance(given, str | tuple):
            placeholders.publish((given,) if isinstance(given, str) else given)
        made = _treated(given, treatment, placeholders, struct)
        if isinstance(struct, ShownObject) and name == "fields":
            made = tuple(_number_hidden(value, struct.class_name) for value in made)
        if made != given:
            changes[name] = made
    return msgspec.structs.replace(struct, **changes) if changes else struct


def _number_hidden(field: ShownValue, class_name: str) -> ShownValue:
    """A field of an object of this class; a number that may tell a text or a host is hidden."""
    declared_by = field.declared_by or class_name
    if not is_telling(declared_by, field.name, field.type == "int"):
        return field
    return msgspec.structs.replace(field, value=HIDDEN)


@cache
def treatments(kind: type[msgspec.Struct]) -> tuple[tuple[str, Redact], ...]:
    """The fields of a type that may hold texts or structs, with what becomes of their texts."""
    hints = get_type_hints(kind, include_extras=True)
    return tuple(
        (name, _treatment(name, hints[name])) for name in kind.__struct_fields__ if _may_hold_text(hints[name])
    )


def _treatment(name: str, hint: Any) -> Redact:
    found = next(_declared(hint), Redact.HIDDEN)
    return Redact.NAME if found is Redact.PUBLIC and _OF_ROCKETMQ.fullmatch(name) else found


@lru_cache(maxsize=4096)
def _secrets_in(name: str) -> tuple[str, ...]:
    """The secrets of a known form in a name."""
    # Here, not above: most reports are not redacted.
    from mqdiag.secrets.patterns import secrets_in

    return secrets_in(name)


def _declared(hint: Any) -> Iterator[Redact]:
    """What a type says about its texts; of a dictionary about its values, for keys are names of fields and settings."""
    if get_origin(hint) is Annotated:
        yield from (part for part in hint.__metadata__ if isinstance(part, Redact))
    for part in get_args(hint)[-1:] if get_origin(hint) is dict else get_args(hint):
        yield from _declared(part)


def _may_hold_text(hint: Any) -> bool:
    if get_origin(hint) is Annotated:
        return True
    if hint in (str, Any, Text) or (isinstance(hint, type) and issubclass(hint, msgspec.Struct)):
        return True
    containers = get_origin(hint) in (tuple, list, dict, Union, UnionType)
    return containers and any(_may_hold_text(part) for part in get_args(hint))


@cache
def _by_name() -> dict[str, Redact]:
    """What becomes of a text by the name that fields give it; evidence and sentences use the same names."""
    found = dict.fromkeys(_DATA.keys, Redact.NODE)

    def visit(kind: type[msgspec.Struct]) -> None:
        if kind in seen:
            return
        seen.add(kind)
        for name, treatment in treatments(kind):
            if treatment in _BY_NAME:
                found[name] = treatment
            elif treatment is not Redact.HIDDEN:
                found.setdefault(name, Redact.NODE)
        for hint in get_type_hints(kind).values():
            for inner in _structs(hint):
                visit(inner)

    seen: set[type[msgspec.Struct]] = set()
    visit(Report)
    return found | dict.fromkeys(_DATA.settings, Redact.SETTING) | dict.fromkeys(_DATA.threads, Redact.THREAD)


def _structs(hint: Any) -> Iterator[type[msgspec.Struct]]:
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        yield hint
    for part in get_args(hint):
        yield from _structs(part)


def _treated(given: Any, treatment: Redact, placeholders: _Placeholders, owner: Any) -> Any:
    if isinstance(given, msgspec.Struct):
        return _redacted(given, placeholders)
    if isinstance(given, Text):
        return _sentence(given, placeholders)
    if isinstance(given, tuple | list):
        return type(given)(_treated(each, treatment, placeholders, owner) for each in given)
    if isinstance(given, dict):
        return {key: _entry(key, value, treatment, placeholders, owner) for key, value in given.items()}
    return _text(given, treatment, placeholders, owner) if isinstance(given, str) else given


def _entry(key: str, value: Any, treatment: Redact, placeholders: _Placeholders, owner: Any) -> Any:
    """A value of a dictionary: settings and evidence have the names of fields as keys."""
    if treatment is Redact.SETTING and isinstance(value, str):
        return _name(value, placeholders) if _NAMING.fullmatch(key) else _setting(value, placeholders)
    if isinstance(owner, Finding):
        return _stated(key, value, placeholders)
    return _treated(value, treatment, placeholders, owner)


def _sentence(text: Text, placeholders: _Placeholders) -> Text:
    """A text with its values treated; the template is our own."""
    values = text.values
    made = {name: _stated(name, value, placeholders) for name, value in values.items()}
    return text if made == values else Text(text.template, made)


def _stated(name: str, value: Value, placeholders: _Placeholders) -> Any:
    """A value that a sentence or a finding's evidence states under this name."""
    if isinstance(value, Text):
        return _sentence(value, placeholders)
    if isinstance(value, tuple | list):
        return tuple(_stated(name, each, placeholders) for each in value)
    if not isinstance(value, str):
        return value
    treatment = _by_name().get(name)
    if treatment is not None and treatment is not Redact.NODE:
        return _text(value, treatment, placeholders, None)
    known = placeholders.known(value)
    if known != value or not placeholders.knows_facts or value in placeholders.public:
        return known
    is_open = treatment is None and not placeholders.is_harmless(value)
    server = _HOST_IN_NUMBERS.fullmatch(value) or (_NAMED_SERVER.fullmatch(value) if is_open else None)
    if server is not None:
        return placeholders.of(server[1], Redact.ADDRESS) + (server[2] or "")
    return placeholders.of(value, Redact.SETTING) if is_open else _node(value, placeholders)


def _text(text: str, treatment: Redact, placeholders: _Placeholders, owner: Any) -> str:
    if treatment is Redact.PUBLIC:
        placeholders.shown.add(text)
        return text
    if treatment is Redact.HIDDEN:
        return placeholders.hide(text)
    special = _SPECIAL.get(treatment)
    return placeholders.of(text, treatment) if special is None else special(text, placeholders, owner)


def _name(text: str, placeholders: _Placeholders, _: Any = None) -> str:
    return placeholders.without_addresses(text)


def _thread(text: str, placeholders: _Placeholders, _: Any = None) -> str:
    return text if is_known_thread(text) else placeholders.of(text, Redact.THREAD)


def _setting(text: str, placeholders: _Placeholders, _: Any = None) -> str:
    return text if text in _CONSTANTS else placeholders.of(text, Redact.SETTING)


def _node(text: str, placeholders: _Placeholders, _: Any = None) -> str:
    """`java.lang.Thread "name"`: the name is the thread's."""
    return _QUOTED.sub(lambda found: f'"{_thread(found[1], placeholders)}"', text)


def _process(text: str, placeholders: _Placeholders, _: Any = None) -> str:
    """The name of a process, with a placeholder for its host, wherever else it is stated."""
    made = _ON_HOST.sub(lambda found: f" on {placeholders.of(found[1], Redact.PROCESS)}", text, count=1)
    return placeholders.replaced(text, made)


def _label(text: str, placeholders: _Placeholders, owner: Any) -> str:
    """The text of a string, the name of a thread; classes, enums and numbers hold no secret."""
    class_name = getattr(owner, "class_name", None)
    if class_name in _STRING_CLASSES:
        return text if text.isdigit() else HIDDEN
    return _thread(text, placeholders) if "Thread" in class_name else text


def _evidence(text: str, placeholders: _Placeholders, owner: Any) -> str:
    """Evidence of two runs side by side: the owner's key says what it is."""
    stated = _stated(owner.key, text, placeholders)
    return stated if isinstance(stated, str) else text


_SPECIAL: dict[Redact, Callable[[str, _Placeholders, Any], str]] = {
    Redact.NAME: _name,
    Redact.THREAD: _thread,
    Redact.SETTING: _setting,
    Redact.NODE: _node,
    Redact.LABEL: _label,
    Redact.PROCESS: _process,
    Redact.EVIDENCE: _evidence,
}


def is_known_thread(name: str) -> bool:
    """Threads of the JVM and of RocketMQ, and pools: their names are given by their code."""
    return bool(
        name == NAMELESS_VIRTUAL
        or _COMMON_THREADS.fullmatch(name)
        or role_of_name(name).role not in (OTHER, POOL)
        or role_of_name(f"{name}_1").role not in (OTHER, POOL)
    )
