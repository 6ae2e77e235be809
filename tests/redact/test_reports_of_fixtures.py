"""`--redact` on the report of every fixture: what a field declares as personal stands nowhere in the JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.facts.redaction import Redact
from mqdiag.redact.report import _CONSTANTS, _NAMING, is_known_thread, redact_report, treatments
from mqdiag.report_json import to_values
from tests.layers import one_in_each_run, some_later

FIXTURES = Path(__file__).parents[2] / "fixtures"
CASES = sorted(
    folder for kind in ("heap", "stacks", "logs", "incidents", "stores", "admin", "reports", "recordings")
    for folder in (FIXTURES / kind).iterdir()
)  # fmt: skip
IN_EVERY_RUN = frozenset(
    (
        "heap-stuck-one-5.3.3", "stacks-apache4-stuck", "stacks-broker-busy",
        "logs-client-out-of-memory-5.3.3", "logs-page-cache-busy-4.9.7", "logs-slave-behind-4.3.2",
        "logs-connections-cut-5.3.3",
        "incidents-stuck-http", "stores-power-loss-4.3.2", "admin-4.9.7", "reports-faulty-4.9.7",
        "recordings-stuck-jdk25",
    )
)  # fmt: skip
"""one of each kind; the others run nightly"""
ADDRESS = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?(?![\w.])")
PERSONAL = frozenset((Redact.KEY, Redact.MESSAGE, Redact.CLIENT, Redact.ADDRESS, Redact.SETTING, Redact.THREAD))


def personal(struct: msgspec.Struct) -> Iterator[str]:
    """The texts of a report that a redacted one must not have."""
    for name, treatment in treatments(type(struct)):
        yield from _personal(getattr(struct, name), treatment)


def _personal(given: Any, treatment: Redact) -> Iterator[str]:
    if isinstance(given, msgspec.Struct):
        yield from personal(given)
    elif isinstance(given, tuple | list):
        for each in given:
            yield from _personal(each, treatment)
    elif isinstance(given, dict) and treatment is Redact.SETTING:
        for key, value in given.items():
            if not _NAMING.fullmatch(key):
                yield from _personal(value, treatment)
    elif isinstance(given, str | dict) and treatment is Redact.NAME:
        for text in (given,) if isinstance(given, str) else given.values():
            yield from ADDRESS.findall(text)
    elif isinstance(given, str) and treatment in PERSONAL and len(given) > 3 and not given.isdigit():
        public = given in _CONSTANTS or (treatment is Redact.THREAD and is_known_thread(given))
        if not public:
            yield given


def declared_public(given: Any) -> Iterator[str]:
    """Texts that may be read: of public fields, and values of settings that name a group, a topic or a cluster."""
    if isinstance(given, msgspec.Struct):
        for name, treatment in treatments(type(given)):
            value = getattr(given, name)
            if isinstance(value, str) and treatment in (Redact.PUBLIC, Redact.NAME):
                if treatment is Redact.PUBLIC or not ADDRESS.search(value):
                    yield value
            elif isinstance(value, dict) and treatment is Redact.SETTING:
                yield from (
                    one for key, one in value.items() if isinstance(one, str) and _NAMING.fullmatch(key)
                )
            elif isinstance(value, tuple | list) and treatment is Redact.PUBLIC:
                yield from (one for one in value if isinstance(one, str))
                yield from declared_public(value)
            else:
                yield from declared_public(value)
    elif isinstance(given, tuple | list):
        for each in given:
            yield from declared_public(each)


def names(values: Any) -> Iterator[str]:
    """Every string of a JSON document, keys left out."""
    if isinstance(values, dict):
        for one in values.values():
            yield from names(one)
    elif isinstance(values, list | tuple):
        for one in values:
            yield from names(one)
    elif isinstance(values, str):
        yield values


def templates(values: Any) -> Iterator[str]:
    """The sentences of a JSON document before anything of the evidence stands in them."""
    if isinstance(values, dict):
        if isinstance(template := values.get("template"), str):
            yield template
        values = list(values.values())
    if isinstance(values, list):
        for one in values:
            yield from templates(one)


def case_id(case: Path) -> str:
    return f"{case.parent.name}-{case.name}"


@one_in_each_run(4)
@pytest.mark.parametrize(
    "case", some_later(CASES, lambda case: case_id(case) not in IN_EVERY_RUN, name=case_id)
)
def test_nothing_personal_is_left(case: Path) -> None:
    report = diagnose_incident([case]).report
    hidden = json.loads(json.dumps(to_values(redact_report(report))))
    public = {one for value in _public(report) for one in value} | {*declared_public(report)}
    hidden.pop("skipped")  # our own words, and none from the evidence
    secrets = {text for text in personal(report) if text not in public}
    # a folder may be named by a word that our sentences have too, such as "offsets"
    own = {word for template in templates(hidden) for word in template.split()}
    written = {*names(hidden)}
    sentences = "\0".join(written)
    left = {text for text in secrets if text in written or (f" {text} " in sentences and text not in own)}
    assert left == set()


def _public(report: msgspec.Struct) -> Iterator[set[str]]:
    """Names of groups, topics and brokers, which stay wherever they are."""
    for name in report.__struct_fields__:
        given = getattr(report, name)
        if name in ("group", "topic", "broker", "queue_topic") and isinstance(given, str):
            yield set() if ADDRESS.search(given) else {given}
        elif name in ("consumer_groups", "producer_groups") and isinstance(given, tuple):
            yield set(given)
        for each in given if isinstance(given, tuple | list) else (given,):
            if isinstance(each, msgspec.Struct):
                yield from _public(each)


def test_the_cases_of_every_run_exist() -> None:
    assert {case_id(case) for case in CASES} >= IN_EVERY_RUN
