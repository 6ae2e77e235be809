"""Settings that consumers are expected to have: `--expect`, and what a value of each may be."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from mqdiag.errors import UsageError
from mqdiag.facts.expectations import Expectation, SettingValue
from mqdiag.knowledge.consumer_settings import consumer_settings
from mqdiag.spelling import did_you_mean, nearest
from mqdiag.text import say


def expectations_of_file(
    expect: Mapping[str, SettingValue | Mapping[str, SettingValue]], source: str
) -> Iterator[Expectation]:
    """The settings below `[expect]` of a file: by key, and by group and key."""
    for key, value in expect.items():
        if isinstance(value, Mapping):
            for inner, wish in value.items():
                check_key(inner, f"{source}: expect.{key}")
                check_value(inner, wish, f"{source}: expect.{key}.{inner}")
                yield Expectation(key=inner, value=wish, group=key, source=source)
        else:
            check_key(key, f"{source}: expect")
            check_value(key, value, f"{source}: expect.{key}")
            yield Expectation(key=key, value=value, source=source)


def parse_expectation(text: str) -> Expectation:
    """Read `[GROUP:]KEY=VALUE`.

    The last colon before the "=" ends the group, so that a group of any spelling (`%RETRY%a`, `ns%b`, `a:b`)
    can be named; a value may hold colons and "=".
    """
    name, equals, value = text.partition("=")
    group, colon, key = name.rpartition(":")
    key, value = key.strip(), value.strip()
    if not equals or not key or not value or (colon and not group.strip()):
        raise UsageError(
            say("--expect {text} is not [GROUP:]KEY=VALUE, such as pullThresholdForQueue=40", text=repr(text))
        )
    check_key(key, f"--expect {text!r}")
    wish: SettingValue = value if key in consumer_settings().texts else _typed(value)
    check_value(key, wish, f"--expect {text!r}")
    return Expectation(key=key, value=wish, group=group.strip() or None)


def _typed(text: str) -> SettingValue:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        return number if math.isfinite(number) else text
    return text


def check_key(key: str, where: str) -> None:
    """Refuse a setting that no consumer has."""
    names = consumer_settings().names
    if key not in names:
        problem = say("{where}: no RocketMQ consumer has a setting {key}", where=where, key=repr(key))
        raise UsageError(did_you_mean(problem, nearest(key, names)))


def check_value(key: str, value: object, where: str) -> None:
    """A value of another type could never be in force: "4O" for 40 must not end as a finding."""
    known = consumer_settings()
    if key in known.switches:
        fits, wanted = isinstance(value, bool), say("true or false")
    elif key in known.texts:
        fits, wanted = isinstance(value, str), say("text")
    else:
        fits, wanted = isinstance(value, int | float) and not isinstance(value, bool), say("a number")
    if not fits:
        raise UsageError(
            say(
                "{where}: {key} is {wanted}, not {value}",
                where=where,
                key=key,
                wanted=wanted,
                value=repr(value),
            )
        )
