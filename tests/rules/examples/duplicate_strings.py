from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.waste import DuplicateStrings, RepeatedText, StringHolder, Waste
from tests.rules.examples.waste import example


def _facts(wasted: int) -> Facts:
    return example(
        Waste(
            duplicate_strings=DuplicateStrings(
                strings=2_000_000,
                repeated=1_500_000,
                wasted_bytes=wasted,
                largest=(
                    RepeatedText(
                        text="CNY", strings=900_000, wasted_bytes=43_200_000, held_by="com.acme.Order.currency"
                    ),
                ),
                holders=(StringHolder(held_by="com.acme.Order.currency", share=0.8),),
            )
        )
    )


def fires() -> Facts:
    """Repeats take 30 % of the heap."""
    return _facts(120_000_000)


def silent() -> Facts:
    """Repeats take 8 % of it, as in many healthy heaps."""
    return _facts(33_000_000)
