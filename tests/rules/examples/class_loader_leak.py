from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.waste import LoaderGroup, Waste
from tests.rules.examples.waste import example


def _facts(closed: int) -> Facts:
    return example(
        Waste(
            class_loaders=(
                LoaderGroup(
                    loader_class="org.apache.catalina.loader.ParallelWebappClassLoader",
                    loaders=4,
                    closed=closed,
                    example_class="com.acme.shop.Cart",
                    repeated_classes=2_310,
                    retained_bytes=90_000_000,
                    object_id="0x7f",
                    path=("thread: java.lang.Thread", "java.lang.Thread.contextClassLoader"),
                ),
            )
        )
    )


def fires() -> Facts:
    """Three of four loaders of a web application were closed, and all are still held."""
    return _facts(3)


def silent() -> Facts:
    """Four applications run side by side and share a library."""
    return _facts(0)
