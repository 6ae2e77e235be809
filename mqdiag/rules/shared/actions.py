"""What to do, said as far as the evidence of a run tells the names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from mqdiag.facts import Facts
from mqdiag.facts.known import NO_NAMES, Known, KnownOfRun
from mqdiag.findings import Action, EvidenceValue
from mqdiag.knowledge.rule_card import shared_actions
from mqdiag.knowledge.words import Words
from mqdiag.rules.draft import Step
from mqdiag.text import ARGUMENT, NOTHING, Text, placeholders, sentences

WORDS = Words("engine")
EXPLAINED = frozenset(("name_server", "broker_address"))
"""names of which a sentence says where they stand, where a command has a word in their place"""
CAPTURE = "mqdiag capture {pid:arg PID}"
"""takes thread dumps, logs and the like"""
ENDS = frozenset(("kill {pid:arg PID}", "kubectl delete pod -n {namespace} {pod}"))
"""commands that end the process, and with it what its threads do"""
TAKES = frozenset((CAPTURE, "jcmd {pid:arg PID} Thread.print -l"))
"""commands that keep what its threads do"""


def shared(name: str, facts: Facts, rule: str, named: Mapping[str, str | None] = NO_NAMES) -> Iterator[Action]:
    """Actions of knowledge/actions.toml, for no finding.

    Args:
        name: of the actions.
        facts: the evidence.
        rule: for whose sake.
        named: names besides those that all evidence tells.
    """
    logs_alone = facts.logs is not None and facts.heap is None and facts.stacks is None
    seen_in = ("logs",) if logs_alone else ()
    yield from _shared(name, rule, {**KnownOfRun(facts).of(None, None, None, seen_in=seen_in), **named})


def _shared(name: str, rule: str, known: Mapping[str, Known | EvidenceValue]) -> Iterator[Action]:
    for line in shared_actions()[name]:
        parts = (
            (part,) if isinstance(part, str) else part
            for part in (line.first_of or line.say, line.command, line.risk, line.then)
        )
        texts, commands, risks, then = (tuple(Text(one) for one in part if one) for part in parts)
        step = Step(texts=texts, commands=commands, risks=risks, then=then)
        yield from actions(rule, [step], known)


def actions(rule: str, steps: Iterable[Step], known: Mapping[str, Known | EvidenceValue]) -> Iterator[Action]:
    """Steps as the evidence lets them be said; none asks for a capture of the process that is there."""
    steps = list(steps)
    captured = known.get("captured_pid")
    if captured is not None and captured == known.get("pid"):
        steps = [step for step in steps if CAPTURE not in {one.template for one in step.commands}] or steps
    explained: set[str] = set()
    for step in steps:
        if text := _first(step.texts, known):
            command = _first(step.commands, known)
            lacking = [
                name
                for name, _ in placeholders(command.template)
                if name in EXPLAINED and known.get(name) is None
            ]
            unknown = [WORDS.say(f"unknown_{name}") for name in dict.fromkeys(lacking) if name not in explained]
            explained.update(lacking)
            yield Action(
                text=sentences(text, _first(step.then, known), *unknown),
                command=command,
                risk=_first(step.risks, known),
                rule=rule,
            )


def evidence_first(
    found: Iterable[Action], facts: Facts, known: Mapping[str, Known | EvidenceValue]
) -> tuple[Action, ...]:
    """The actions, where no thread dumps were given with a capture before the first that ends the process."""
    told = tuple(found)
    templates = [one.command.template for one in told]
    end = next((place for place, template in enumerate(templates) if template in ENDS), None)
    was_captured = known.get("captured_pid") is not None and known.get("captured_pid") == known.get("pid")
    if end is None or facts.stacks is not None or was_captured or TAKES.intersection(templates[:end]):
        return told
    return (*told[:end], *_shared("keep_stacks", told[end].rule, known), *told[end:])


def _first(ways: Iterable[Text], known: Mapping[str, Known | EvidenceValue]) -> Text:
    """The first that names nothing unknown, but for words of commands; nothing where there is none."""
    for way in ways:
        lacking = (
            name
            for name, kind in placeholders(way.template)
            if name not in way.values and not kind.startswith(ARGUMENT) and kind != "timestamp"
        )
        if all(known.get(name) is not None for name in lacking):
            return way.filled(known)
    return NOTHING
