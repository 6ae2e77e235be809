"""Who holds a consumer, and which numbers of the application equal a setting of it: hints who set it."""

from __future__ import annotations

from mqdiag.facts.heap import ConsumerFacts
from mqdiag.facts.heap_classes import EqualNumber
from mqdiag.findings import EvidenceValue
from mqdiag.knowledge.words import Words
from mqdiag.text import Text

WORDS = Words("equal_numbers")


def owner_evidence(consumer: ConsumerFacts, setting: str | None) -> dict[str, EvidenceValue]:
    """The keys that the sentences of this module read; empty where no owner is known.

    Args:
        consumer: the consumer.
        setting: the setting that the finding is about.
    """
    if consumer.owner is None:
        return {}
    evidence: dict[str, EvidenceValue] = {
        "owner_field": consumer.owner.label,
        "owner_id": consumer.owner.object_id,
    }
    equal = _equal(consumer, setting)
    if equal:
        evidence |= {"equal_fields": tuple(one.field for one in equal), "equal_value": equal[0].value}
    return evidence


def owner_said(consumer: ConsumerFacts, setting: str | None) -> Text | None:
    """The sentence of a finding; None where no owner is known."""
    if consumer.owner is None:
        return None
    if not _equal(consumer, setting):
        return WORDS.say("holder")
    return WORDS.say("holder-with-number", owner_setting=setting)


def owner_remedy(consumer: ConsumerFacts, setting: str | None) -> Text | None:
    """Where to look first; None where no number is equal."""
    if not _equal(consumer, setting):
        return None
    return WORDS.say("look-first", owner_setting=setting)


def _equal(consumer: ConsumerFacts, setting: str | None) -> tuple[EqualNumber, ...]:
    if consumer.owner is None:
        return ()
    return tuple(one for one in consumer.owner.equal_numbers if one.setting == setting)
