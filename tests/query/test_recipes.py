"""Every recipe against its slow twin, on dumps of several JDKs and on one that is written for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mqdiag.errors import UsageError
from mqdiag.graph import open_heap
from mqdiag.query.recipes import recipes
from mqdiag.query.session import Session
from tests.graph.small_dump import small_dump
from tests.layers import NIGHTLY, one_in_each_run
from tests.query import twins
from tests.query.plain_dump import PlainDump
from tests.query.twins import A_CLASS, Twin, an_object
from tests.writers import hprof_records as hprof
from tests.writers.hprof_records import LONG, OBJECT
from tests.writers.hprof_writer import DumpWriter
from tests.writers.java_objects import JavaObjects

HEAPS = Path(__file__).parents[2] / "fixtures" / "heap"
SESSIONS = "old-sessions"


def written_dump() -> DumpWriter:
    """One of everything, with sessions of Tomcat and maps that are referred to."""
    dump = small_dump()
    java = JavaObjects(dump)
    session = dump.java_class(
        "org/apache/catalina/session/StandardSession", fields={"id": OBJECT, "lastAccessedTime": LONG}
    )
    now = dump.captured_at_ms
    made = [
        dump.instance(session, id=java.string(f"session {age}"), lastAccessedTime=now - age)
        for age in (0, 3_600_000, 3_600_001, 9_000_000)
    ]
    table = java.hash_map([(java.string(f"key {number}"), each) for number, each in enumerate(made)])
    holder = dump.java_class("app/Sessions", statics={"ALL": (OBJECT, table)})
    dump.root(hprof.STICKY_CLASS, holder.id)
    return dump


DUMPS = [
    pytest.param("written", id="written"),
    pytest.param("no-rocketmq", id="no-rocketmq"),
    pytest.param("stuck-one-4.9.8", id="stuck-one-4.9.8", marks=NIGHTLY),
    pytest.param("healthy-busy-4.3.2", id="healthy-busy-4.3.2", marks=NIGHTLY),
]


@pytest.fixture(scope="module", params=DUMPS)
def both(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Twin, Session]]:
    path = HEAPS / request.param / "dump.hprof.gz"
    if request.param == "written":
        path = written_dump().write(tmp_path_factory.mktemp("written") / "written.hprof")
    heap = open_heap(str(path))
    with Session(heap) as session:
        yield Twin(PlainDump(path), heap), session


@one_in_each_run(8)
@pytest.mark.parametrize("name", sorted(recipes()))
def test_a_recipe_equals_its_twin(name: str, both: tuple[Twin, Session]) -> None:
    twin, session = both
    recipe = recipes()[name]
    values = {"class": A_CLASS, "id": hex(an_object(twin))}
    if name == SESSIONS and not twin.of_class["org.apache.catalina.session.StandardSession"]:
        with pytest.raises(UsageError, match="has no class"):
            session.ask(recipe.sql)
        return
    answer = session.ask(recipe.sql, {key: values[key] for key in recipe.parameters})
    assert list(answer.rows()) == getattr(twins, name.replace("-", "_"))(twin)


def test_every_recipe_says_what_it_answers() -> None:
    for recipe in recipes().values():
        assert recipe.answers.endswith("."), recipe.name
        assert all(f"${name}" in recipe.sql for name in recipe.parameters)
