"""A kind of consumer of the gRPC client."""

from __future__ import annotations

from typing import ClassVar

from mqdiag.rocketmq.clients import Kind


class GrpcKind(Kind):
    """What the kinds of gRPC consumers have in common."""

    consumer_class: ClassVar[str]
    """role of the class"""
