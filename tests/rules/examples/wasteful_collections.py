from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.waste import CollectionClass, Waste, WastefulCollections
from tests.rules.examples.waste import example


def _facts(spare: int) -> Facts:
    maps = CollectionClass(
        class_name="java.util.HashMap",
        collections=1_000_000,
        empty=20_000,
        empty_bytes=1_000_000,
        sparse=900_000,
        spare_bytes=spare,
    )
    return example(
        Waste(
            collections=WastefulCollections(
                collections=1_200_000, wasted_bytes=spare + 1_000_000, classes=(maps,)
            )
        )
    )


def fires() -> Facts:
    """Maps with one entry and 64 places take more than a quarter of the heap."""
    return _facts(110_000_000)


def silent() -> Facts:
    """The maps are small, with the 16 places that a HashMap begins with."""
    return _facts(30_000_000)
