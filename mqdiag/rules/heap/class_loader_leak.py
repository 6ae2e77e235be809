"""Class loaders that should be gone are still there, with all their classes."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.waste import LoaderGroup, Waste
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.shared.waste import LEAST_BYTES, example, reachable_share, waste_of
from mqdiag.text import say


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
    """Three of four loaders of a web application were closed, and all are kept."""
    return _facts(3)


def silent() -> Facts:
    """Four applications side by side that share a library."""
    return _facts(0)


@rule(
    name="class-loader-leak",
    title="Class loaders that were closed are still held",
    why=(
        "Each deployment of an application or plugin gets a class loader. One forgotten reference to any of its"
        " objects or classes, in a thread, a thread local, a shutdown hook or a registry of the JVM, keeps the"
        " loader with all its classes and their static fields, once for every deployment."
    ),
    causes=("closed-loader-held", "many-loaders"),
    severities=(Severity.WARNING, Severity.INFO),
    remedy=(
        "Follow the path from the GC root and undo what holds the loader when the application stops: end threads,"
        " remove thread locals, take out listeners, hooks and drivers.",
    ),
    references=("java.net.URLClassLoader.close()",),
    needs=("heap",),
    limits={
        "closed_loaders": 2,
        "closed_least_bytes": 1024 * 1024,
        "loaders": 5,
        "share_info": 0.05,
        "least_bytes": LEAST_BYTES,
    },
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each kind of loader."""
    waste = waste_of(facts)
    if isinstance(waste, Skip):
        yield waste
        return
    for group in waste.class_loaders:
        share = reachable_share(facts, group.retained_bytes)
        large = group.retained_bytes >= limits["least_bytes"] and share >= limits["share_info"]
        if group.closed >= limits["closed_loaders"]:
            if group.retained_bytes >= limits["closed_least_bytes"]:
                yield _closed(group, share)
        elif group.loaders >= limits["loaders"] and large:
            yield _many(group, share)


def _closed(group: LoaderGroup, share: float) -> Draft:
    return Draft(
        severity=Severity.WARNING,
        cause="closed-loader-held",
        confidence=Confidence.HIGH,
        confidence_reason=say("close() was called on the loaders, so nobody means to load from them again"),
        title=say(
            "{closed} closed class loaders of {loader_class} are still held",
            closed=group.closed,
            loader_class=group.loader_class,
        ),
        subject=Subject(object_class=group.loader_class),
        evidence=_evidence(group, share),
        explanation=_explanation(group, share),
        remedy=(
            say(
                "Undo what the path shows when the application stops: end the thread, remove the thread local, take out"
                " the listener or hook."
            ),
            say(
                "`mqdiag show DUMP {object_id}` shows all ways that keep one of the loaders.",
                object_id=group.object_id,
            ),
        ),
        weight=share,
    )


def _many(group: LoaderGroup, share: float) -> Draft:
    return Draft(
        severity=Severity.INFO,
        cause="many-loaders",
        confidence=Confidence.MEDIUM,
        confidence_reason=say(
            "none of them says that it was closed; so many applications or plugins may be meant"
        ),
        title=say(
            "{loaders} class loaders of {loader_class} each loaded the same classes",
            loaders=group.loaders,
            loader_class=group.loader_class,
        ),
        subject=Subject(object_class=group.loader_class),
        evidence=_evidence(group, share),
        explanation=_explanation(group, share),
        remedy=(
            say(
                "If there are fewer applications or plugins than loaders, follow the path: it shows what keeps one."
            ),
            say("If all are in use, load what they share in a common parent."),
        ),
        weight=share,
    )


def _evidence(group: LoaderGroup, share: float) -> dict[str, int | float | str | tuple[int | str, ...] | None]:
    return {
        "class": group.loader_class,
        "loaders": group.loaders,
        "closed": group.closed,
        "example_class": group.example_class,
        "repeated_classes": group.repeated_classes,
        "retained_bytes": group.retained_bytes,
        "share": round(share, 4),
        "object_id": group.object_id,
        "path": group.path,
    }


def _explanation(group: LoaderGroup, share: float) -> tuple[str, ...]:
    return (
        say(
            (
                "{classes} such as {example_class} were loaded more than once, by up to {loaders} loaders;"
                " with what only they hold that is {retained_bytes:bytes}, {share:percent} of the heap in"
                " use."
            ),
            classes=say("{number:count} {number:class|classes}", number=group.repeated_classes),
            example_class=group.example_class,
            loaders=group.loaders,
            retained_bytes=group.retained_bytes,
            share=share,
        ),
        *((say("One of them is kept by: {path}", path=" -> ".join(group.path)),) if group.path else ()),
    )
