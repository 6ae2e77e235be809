"""The push consumer, DefaultMQPushConsumer: pulls in the background and calls a listener."""

from __future__ import annotations

from mqdiag.facts.heap import KindTraits

TRAITS = KindTraits()
