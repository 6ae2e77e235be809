"""Class loaders that should be gone are still there, with all their classes."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.waste import LoaderGroup, Waste
from mqdiag.findings import Confidence, EvidenceValue, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said, Skip
from mqdiag.rules.shared.waste import LEAST_BYTES, example, reachable_share, waste_of
from mqdiag.text import Text, say

RULE = Rule(
    name="class-loader-leak",
    title="Closed class loaders are still in the heap",
    why=(
        "Each deployment of an application or plugin gets its own class loader. One forgotten reference to one of its"
        " objects or classes keeps the loader in the heap, with all its classes and their static fields. Such a"
        " reference is often in a thread, a thread local, a shutdown hook or a registry of the JVM. Each new deployment"
        " adds one more loader."
    ),
    causes=("closed-loader-held", "many-loaders"),
    severities=(Severity.WARNING, Severity.INFO),
    remedy=(
        "Follow the path from the GC root to the loader. When the application stops, remove what the path shows: end"
        " threads, remove thread locals, deregister listeners, hooks and drivers.",
    ),
    references=("java.net.URLClassLoader.close()",),
    limits={
        "closed_loaders": 2,
        "closed_least_bytes": 1024 * 1024,
        "loaders": 5,
        "share_info": 0.05,
        "least_bytes": LEAST_BYTES,
    },
)


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


@RULE.sees("heap")
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each class of loaders."""
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
        confidence_reason=say("the application called close() on these loaders, so nobody will use them again"),
        title=say(
            "{closed:count} closed class {closed:loader|loaders} of {object_class}"
            " {closed:is|are} still in the heap"
        ),
        subject=Subject(object_class=group.loader_class),
        evidence=_evidence(group, share),
        explanation=tuple(_explanation(group)),
        remedy=(
            say(
                "When the application stops, remove what the path shows: end the thread, remove the thread local, or"
                " deregister the listener or hook."
            ),
            say("`mqdiag show DUMP {object_id}` shows all paths that keep one of the loaders."),
        ),
        weight=share,
    )


def _many(group: LoaderGroup, share: float) -> Draft:
    return Draft(
        severity=Severity.INFO,
        cause="many-loaders",
        confidence=Confidence.MEDIUM,
        confidence_reason=say(
            "no loader is marked as closed, so all these applications or plugins may be in use"
        ),
        title=say("{loaders:count} class loaders of {object_class} each loaded the same classes"),
        subject=Subject(object_class=group.loader_class),
        evidence=_evidence(group, share),
        explanation=tuple(_explanation(group)),
        remedy=(
            say(
                "If there are fewer applications or plugins than loaders, follow the path: it shows what keeps one"
                " loader."
            ),
            say("If all loaders are in use, load the classes that they share in a common parent loader."),
        ),
        weight=share,
    )


def _evidence(group: LoaderGroup, share: float) -> dict[str, EvidenceValue]:
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


def _explanation(group: LoaderGroup) -> Iterator[Text]:
    yield say(
        "{repeated_classes:count} {repeated_classes:class|classes}, such as {example_class},"
        " {repeated_classes:was|were} loaded more than once, by up to {loaders:count} loaders."
    )
    yield say("Together the loaders retain {retained_bytes:bytes}, {share:percent} of the heap in use.")
    if group.path:
        yield say("This path keeps one of them: {steps}", steps=" -> ".join(group.path))
