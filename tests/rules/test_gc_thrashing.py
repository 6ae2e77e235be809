"""gc-thrashing: several logs are of several JVMs, so that each title says which one."""

from __future__ import annotations

import msgspec

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogsFacts
from mqdiag.language import english
from mqdiag.rules import gc_thrashing
from tests.rules.checks import findings
from tests.rules.examples import example_of


def test_a_title_names_its_log_where_there_are_several() -> None:
    logs = example_of(gc_thrashing).fires().logs
    assert logs is not None
    (gc,) = logs.gc
    (alone,) = findings(gc_thrashing, Facts(logs=logs))
    assert english()(alone.title).startswith("The JVM spent 97 %")
    both = LogsFacts(gc=(gc, msgspec.structs.replace(gc, path="other/gc.log")))
    titles = {english()(found.title) for found in findings(gc_thrashing, Facts(logs=both))}
    assert {title.partition(": The JVM spent 97 %")[0] for title in titles} == {"gc.log", "other/gc.log"}
