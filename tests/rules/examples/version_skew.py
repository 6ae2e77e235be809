from __future__ import annotations

from mqdiag.facts import Facts
from tests.rules.examples.differing_instances import example


def fires() -> Facts:
    """One of four instances still has an old client."""
    return example("version", "client_version", ("4.9.8", 3), ("4.3.2", 1))


def silent() -> Facts:
    """All have the same client."""
    return example("version", "client_version", ("4.9.8", 4))
