from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.services import HostFigure, ServicesFacts


def _facts(percent: float) -> Facts:
    return Facts(services=ServicesFacts(figures=(HostFigure(of="memory", percent=percent, source="free.txt"),)))


def fires() -> Facts:
    """No memory is left."""
    return _facts(99.7)


def silent() -> Facts:
    """A busy host with memory left."""
    return _facts(80.0)
