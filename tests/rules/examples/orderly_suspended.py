from __future__ import annotations

from mqdiag.facts import Facts
from tests.rules.examples.consumer import example


def fires() -> Facts:
    """A message was tried 300 times."""
    return example(consumer={"orderly": True}, queue={"redelivered": 1, "most_redelivered": 300})


def silent() -> Facts:
    """It was tried five times: an outage of seconds."""
    return example(consumer={"orderly": True}, queue={"redelivered": 1, "most_redelivered": 5})
