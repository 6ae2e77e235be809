"""Settings of a run: `mqdiag.toml`, found upward from the working directory, with the options put over it.

A file that the user did not name is read only where nobody but the user and root can have written it: it changes
verdicts, and evidence is unpacked in folders of everybody. The search ends at the root of the repository or the home.

Everything in the file is checked before any evidence is read, so a typing error costs a second and not a
silent wrong verdict.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import msgspec

from mqdiag.acceptance import Acceptance, Lapsed
from mqdiag.baseline import EXPIRED, Baseline, expired
from mqdiag.errors import UsageError
from mqdiag.facts.expectations import Expectation, SettingValue
from mqdiag.fail_on import FailOn, parse_fail_on
from mqdiag.findings import RuleCard, Severity
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.text import Text, say

if TYPE_CHECKING:
    from mqdiag.knowledge.team import Team

FILE_NAME = "mqdiag.toml"
_MOST_BYTES = 1 << 20
"""bytes of a configuration: a file by its name may be a device without an end"""

_LEAST_HEAP = 1 << 20
"""HotSpot starts with no less; "2" for "2g" would turn every number of the report into a false alarm"""
_LARGEST_HEAP = 64 << 40
"""ZGC takes 16 TB, the next a few times that; more is a slip of the unit, and would pass every check"""
_LARGEST_SHARE = 10.0
"""2 turns a limit off, since no share exceeds 1 by much; 50 means 50 % and would turn it off unseen"""
_SIZE = lazy_pattern(r"(\d{1,18}(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", re.IGNORECASE | re.ASCII)


class RuleSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """`[rules.<name>]`: what a team changes about one rule."""

    severity: Severity | None = None
    ignore: bool = False
    reason: str = ""
    until: date | None = None
    limits: dict[str, float] = {}


class KnowledgeSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[knowledge]`: what a team knows of its own software."""

    folders: tuple[str, ...] = ()
    """relative to the folder of the file"""


class ConfigFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """All of `mqdiag.toml`."""

    fail_on: str | None = None
    heap_limit: int | str | None = None
    expect: dict[str, SettingValue | dict[str, SettingValue]] = {}
    rules: dict[str, RuleSettings] = {}
    knowledge: KnowledgeSettings = KnowledgeSettings()


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What a diagnosis is told, whatever it came from."""

    expectations: tuple[Expectation, ...] = ()
    fail_on: FailOn = msgspec.field(default_factory=FailOn)
    fail_on_by: str | None = None
    """the file that says what fails the run; None where an option or nothing does"""
    heap_limit: int | None = None
    cache_bytes: int | None = 0
    """that may be kept of heap dumps for later runs: None for a share of the disk, 0 for nothing"""
    utc_offset_minutes: int | None = None
    """zone of logs that do not tell theirs"""
    jobs: int = 1
    """the most processes that read files at once"""
    limits: Mapping[str, Mapping[str, float]] = msgspec.field(default_factory=dict)
    severities: Mapping[str, Severity] = msgspec.field(default_factory=dict)
    ignored: Mapping[str, Acceptance] = msgspec.field(default_factory=dict)
    lapsed: tuple[Lapsed, ...] = ()
    """ignored rules whose last day has passed"""
    baseline: Baseline = msgspec.field(default_factory=Baseline)
    today: date = msgspec.field(default_factory=lambda: today())
    source: str | None = None
    """the file that limits, severities and ignored rules come from"""
    team: Team | None = None
    """what a team knows of its own software; its libraries hold for the whole process, see `Team.use`"""


def today() -> date:
    """The day by which acceptances expire: in UTC, so that all machines of a team agree."""
    return datetime.now(UTC).date()


def parse_size(text: str | int) -> int:
    """Bytes of "512m", "2g", "1.5GiB" or a plain number, in powers of 1024 as the JVM's -Xmx takes them."""
    found = _SIZE.fullmatch(str(text).strip())
    size = 0 if found is None else int(float(found[1]) * 1024 ** " kmgt".index(found[2].lower() or " "))
    if size <= 0:
        raise UsageError(
            say(
                "{text} is not a size; write it as -Xmx takes it: 512m, 2g, or a number of bytes",
                text=repr(text),
            )
        )
    return size


def _heap_limit(text: str | int) -> int:
    size = parse_size(text)
    if size < _LEAST_HEAP:
        raise UsageError(
            say("{text} is less than any JVM's heap; write it with its unit: 512m, 2g", text=repr(text))
        )
    if size > _LARGEST_HEAP:
        raise UsageError(
            say(
                "{text} is more than any JVM's heap (64 TiB); write it with its unit: 512m, 2g", text=repr(text)
            )
        )
    return size


def find_config(start: Path) -> Path | None:
    """The nearest `mqdiag.toml` in `start` or a folder above it, up to the root of the repository or the home."""
    try:
        home = Path.home()
    except RuntimeError:
        home = None
    for folder in (start, *start.parents):
        path = folder / FILE_NAME
        try:
            if path.is_file():
                return path
            if folder == home or (folder / ".git").exists():
                return None
        except OSError:
            continue  # a folder above may be closed to this user, who may still work below it
    return None


def read_config(path: Path, *, was_found: bool = False) -> ConfigFile:
    """Decode strictly; unknown keys and wrong types are errors that name their place.

    Args:
        path: of the file.
        was_found: the user did not name it.

    Raises:
        UsageError: it cannot be read, or is wrong.
        Untrusted: it was found, and others can have written it.
    """
    try:
        with _opened(path, was_found) as file:
            return _decoded(file.read(_MOST_BYTES + 1), path)
    except OSError as error:
        raise UsageError(
            say("{path}: cannot be read: {reason}", path=str(path), reason=error.strerror)
        ) from error


def _opened(path: Path, was_found: bool) -> BinaryIO:
    if not was_found:
        return path.open("rb")
    # Here, not above: most runs have no file.
    from mqdiag.trusted import open_through_links

    return open(open_through_links(str(path.absolute()), private_groups=True), "rb")


def _decoded(data: bytes, path: Path) -> ConfigFile:
    # Here, not above: most runs have no file.
    from mqdiag import given_toml

    raw = given_toml.parsed(data, str(path), _MOST_BYTES)
    given_toml.refuse_unknown(raw, ConfigFile, str(path), "")
    given_toml.refuse_unknown(raw.get("knowledge"), KnowledgeSettings, str(path), "knowledge.")
    rules = raw.get("rules", {})
    for name, section in rules.items() if isinstance(rules, dict) else ():
        given_toml.refuse_unknown(section, RuleSettings, str(path), f"rules.{name}.")
    try:
        for name, section in rules.items() if isinstance(rules, dict) else ():
            part = f"rules.{name}"
            msgspec.convert(section, RuleSettings)
        part = ""
        return msgspec.convert(raw, ConfigFile)
    except msgspec.ValidationError as error:
        problem, place = given_toml.problem_and_place(str(error))
        raise UsageError(
            say("{path}: {problem}", path=str(path), problem=_in_toml_words(problem, place, part))
        ) from error


def _in_toml_words(problem: str, place: str, part: str) -> Text:
    """The decoder's message about a place of a part, for a user who wrote TOML and knows no enums."""
    where = ".".join(filter(None, (part, place))) or say("the file")
    if problem.startswith("Invalid enum value"):
        severities = tuple(severity.value for severity in Severity)
        return say("{where}: {problem}; it can be {values}", where=where, problem=problem, values=severities)
    return say("{where}: {problem}", where=where, problem=problem)


def resolve(
    config: ConfigFile,
    source: str,
    cards: Mapping[str, RuleCard],
    *,
    expect: Iterable[str] = (),
    fail_on: str | None = None,
    heap_limit: str | None = None,
    baseline: Baseline | None = None,
    cache_bytes: int | None = 0,
    on: date | None = None,
    team: Team | None = None,
) -> Settings:
    """Put the options over the file and check both against what exists.

    Args:
        config: the decoded file, or `ConfigFile()` without one.
        source: its path, for messages and as the origin of expectations.
        cards: the cards of all rules by name.
        expect: `--expect` options.
        fail_on: `--fail-on`, if given.
        heap_limit: `--heap-limit`, if given.
        baseline: known findings, if `--baseline` was given.
        cache_bytes: see `Settings`.
        on: the day by which acceptances expire; today.
        team: what a team knows of its own software.
    """
    day = on or today()
    failing = FailOn() if config.fail_on is None else parse_fail_on(config.fail_on, f"{source}: fail-on")
    if fail_on is not None:
        failing = parse_fail_on(fail_on, "--fail-on")
    for name, rule in config.rules.items():
        _check_rule(name, rule, source, cards)
    merged = {(wish.group, wish.key): wish for wish in _expectations(config, source, expect)}
    accepted = {
        name: Acceptance(source=source, reason=rule.reason, until=rule.until)
        for name, rule in config.rules.items()
        if rule.ignore
    }
    return Settings(
        expectations=tuple(merged.values()),
        fail_on=failing,
        fail_on_by=source if fail_on is None and config.fail_on is not None else None,
        heap_limit=_limit_of(heap_limit, config, source),
        cache_bytes=cache_bytes,
        limits={name: rule.limits for name, rule in config.rules.items() if rule.limits},
        severities={name: rule.severity for name, rule in config.rules.items() if rule.severity},
        ignored={name: why for name, why in accepted.items() if not expired(why, day)},
        lapsed=tuple(
            Lapsed(rule=name, why=EXPIRED, acceptance=why)
            for name, why in accepted.items()
            if expired(why, day)
        ),
        baseline=baseline or Baseline(),
        today=day,
        source=source if config.rules else None,
        team=team,
    )


def _expectations(config: ConfigFile, source: str, options: Iterable[str]) -> Iterator[Expectation]:
    """Those of the file, then those of `--expect`, which go before them."""
    if config.expect or options:
        # Here, not above: most runs expect nothing.
        from mqdiag.expectations import expectations_of_file, parse_expectation

        yield from expectations_of_file(config.expect, source)
        yield from map(parse_expectation, options)


def _limit_of(option: str | None, config: ConfigFile, source: str) -> int | None:
    """The limit of the heap in bytes, of the option or else of the file."""
    if option is not None or config.heap_limit is None:
        return None if option is None else _heap_limit(option)
    try:
        return _heap_limit(config.heap_limit)
    except UsageError as error:
        raise UsageError(say("{source}: heap-limit: {error}", source=source, error=error.text)) from error


def _check_rule(name: str, rule: RuleSettings, source: str, cards: Mapping[str, RuleCard]) -> None:
    from mqdiag.spelling import did_you_mean, nearest

    if name not in cards:
        problem = say("{source}: rules.{name}: there is no such rule", source=source, name=name)
        raise UsageError(did_you_mean(problem, nearest(name, cards)))
    for limit, value in rule.limits.items():
        if limit not in cards[name].limits:
            known = tuple(cards[name].limits)
            problem = say(
                "{source}: rules.{name}.limits has no {limit}", source=source, name=name, limit=repr(limit)
            )
            near = nearest(limit, known)
            if near:
                raise UsageError(did_you_mean(problem, near))
            raise UsageError(say("{problem}; it has {limits}", problem=problem, limits=known or say("none")))
        _check_limit(limit, value, f"{source}: rules.{name}.limits.{limit}", cards[name].ranges.get(limit))
    if rule.ignore and not rule.reason.strip():
        raise UsageError(
            say(
                '{source}: rules.{name} is ignored without a reason; add reason = "why"',
                source=source,
                name=name,
            )
        )
    if rule.until is not None and not rule.ignore:
        raise UsageError(
            say(
                "{source}: rules.{name}.until says when ignoring ends; add ignore = true",
                source=source,
                name=name,
            )
        )


def _check_limit(name: str, value: float, where: str, allowed: tuple[float, float] | None) -> None:
    """A limit that nothing can reach, or everything, would switch a rule without a word."""
    if allowed is not None and not allowed[0] <= value <= allowed[1]:
        raise UsageError(
            say(
                "{where}: is {value:decimal}; it can be from {least:decimal} to {greatest:decimal}",
                where=where,
                value=value,
                least=allowed[0],
                greatest=allowed[1],
            )
        )
    if not math.isfinite(value) or value < 0:
        raise UsageError(
            say("{where}: is {value:decimal}; a limit is a number from 0 up", where=where, value=value)
        )
    if "share" in name.split("_") and value > _LARGEST_SHARE:
        raise UsageError(
            say("{where}: is {value:decimal}; a share is 0 to 1: write 0.5 for 50 %", where=where, value=value)
        )
