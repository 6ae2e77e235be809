"""The files of libraries: mistakes in them, how they join, and how long they are kept."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqdiag.knowledge import library_files, lookup, own_code
from mqdiag.knowledge.checked_libraries import pack
from mqdiag.knowledge.packed import KnowledgeError
from mqdiag.knowledge.remedies import remedy

HARBOUR = """
packages = ["com.harbour."]

[[library]]
name = "Harbour client"
topic = "Databases"
frames = ["com.harbour.client."]
remedy = ["Call readTimeout."]
"""
QUAY = """
packages = ["com.harbour."]

[[library]]
name = "Harbour quay"
topic = "Databases"
frames = ["com.harbour.client.quay."]
remedy = ["Call quayTimeout."]
"""
POOL = """
packages = ["com.harbour."]

[[library]]
name = "Harbour pool"
topic = "Connection pools"
kind = "pool"
frames = ["com.harbour.client.Pool.take"]
remedy = ["Raise berths."]
"""
HOLDER = '[[holder]]\nid = "rows"\nclasses = ["java.util.Rows"]\nknown_as = "rows"\nremedy = "Close them."\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of files instead of that of mqdiag; what was asked before is forgotten, and afterwards again."""
    forget()
    monkeypatch.setattr(library_files, "FOLDER", str(tmp_path))
    yield tmp_path
    forget()


def forget() -> None:
    for module in (library_files, lookup, own_code):
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ('packages = ["com.harbour."', "harbour.toml is not TOML"),
        (HARBOUR + 'speed = "high"', "harbour.toml: Object contains unknown field `speed` - at `$.library[0]`"),
        (HARBOUR.replace("frames =", "#"), "missing required field `frames` - at `$.library[0]`"),
        (HARBOUR + 'kind = "driver"', "Invalid enum value 'driver' - at `$.library[0].kind`"),
        (
            HARBOUR.replace('"Databases"', '"Data"'),
            'Harbour client: topic is "Data": expected one of Connection pools',
        ),
        (
            HARBOUR.replace('frames = ["com.harbour.', 'frames = ["com.acme.'),
            'frames has "com.acme.client.": expected one in the packages of the file',
        ),
        ('[[holder]]\nclasses = ["java.util.Rows"]', "expected the keys known_as and remedy, or like"),
        ('[[holder]]\nclasses = ["java.util.Rows"]\nlike = "row"', 'like is "row": expected one of rows'),
        (HOLDER.replace("java.util", "com.acme"), 'classes has "com.acme.Rows": expected one in the packages'),
    ],
)
def test_a_mistake_is_told_with_its_file_and_key(tmp_path: Path, wrong: str, told: str) -> None:
    (tmp_path / "a.toml").write_text(HOLDER)
    (tmp_path / "harbour.toml").write_text(wrong)
    with pytest.raises(KnowledgeError) as error:
        pack(str(tmp_path))
    assert str(error.value).startswith(str(tmp_path / "harbour.toml"))
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (
            HARBOUR.replace('"Harbour client"', '"Other"'),
            'Other: frames has "com.harbour.client.": expected none of',
        ),
        (HARBOUR.replace("com.harbour.", "com.other."), "expected a name that "),
    ],
)
def test_two_files_do_not_claim_the_same(tmp_path: Path, other: str, told: str) -> None:
    (tmp_path / "harbour.toml").write_text(HARBOUR)
    (tmp_path / "other.toml").write_text(other)
    with pytest.raises(KnowledgeError, match=r"other\.toml") as error:
        pack(str(tmp_path))
    assert told in str(error.value)


def test_the_longest_frame_holds_whatever_the_order_of_the_files(folder: Path) -> None:
    for name, text in (("a", HARBOUR), ("b", QUAY), ("c", POOL)):
        (folder / f"{name}.toml").write_text(text)
    named = {
        method: (lookup.library_of_frame(method), lookup.pool_of_frame(method))
        for method in (
            "com.harbour.client.X.y",
            "com.harbour.client.quay.X.y",
            "com.harbour.client.Pool.take",
            "x.Y.z",
        )
    }
    assert {method: [one and one.name for one in found] for method, found in named.items()} == {
        "com.harbour.client.X.y": ["Harbour client", None],
        "com.harbour.client.quay.X.y": ["Harbour quay", None],
        "com.harbour.client.Pool.take": ["Harbour client", "Harbour pool"],
        "x.Y.z": [None, None],
    }
    assert not own_code.is_own("com.harbour.X.y")
    assert own_code.is_own("com.harbours.X.y")


def test_holders_are_told_by_rank_and_have_the_words_of_the_one_that_they_are_like(folder: Path) -> None:
    (folder / "a.toml").write_text(HOLDER + "rank = 20\n")
    (folder / "b.toml").write_text(
        'packages = ["com.b."]\n[[holder]]\nlike = "rows"\nclasses = ["com.b.Row"]\n'
    )
    low = (
        HOLDER.replace('id = "rows"', "rank = 10\nworks_alone = true")
        .replace("Rows", "Low")
        .replace("rows", "low")
    )
    (folder / "c.toml").write_text(low)
    known = lookup.known_holder(("com.b.RowSet",))
    assert known is not None
    assert (known.name.template, known.remedy.template) == ("rows", "Close them.")
    first = lookup.known_holder(("com.b.Row", "java.util.Lowest"))
    assert first is not None
    assert first.name.template == "low"
    assert (lookup.works_alone("java.util.Low"), lookup.works_alone("com.b.Row")) == (True, False)


def test_a_changed_file_is_read_again(folder: Path) -> None:
    path = folder / "harbour.toml"
    path.write_text(HARBOUR)
    assert lookup.library_of_frame("com.harbour.client.X.y") is not None
    forget()
    path.write_text(HARBOUR.replace("com.harbour.client.", "com.harbour.clients."))
    os.utime(path, ns=(1, 1))
    assert lookup.library_of_frame("com.harbour.client.X.y") is None
    assert lookup.library_of_frame("com.harbour.clients.X.y") is not None


def test_a_file_that_the_build_packed_is_read_as_it_is(folder: Path) -> None:
    source = folder / "source"
    source.mkdir()
    (source / "harbour.toml").write_text(HARBOUR)
    (folder / "packed.msgpack").write_bytes(pack(str(source)))
    library = lookup.library_of_frame("com.harbour.client.X.y")
    assert library is not None
    assert [text.template for text in library.remedy] == ["Call readTimeout."]
    assert library.cause == "slow-remote"


def test_the_files_of_mqdiag_are_right() -> None:
    pack(library_files.FOLDER)
    assert len(lookup.all_libraries()) > 150


def test_what_a_database_does_now_comes_before_the_own_advice_and_other_shared_advice_after_it() -> None:
    mysql = next(one for one in lookup.all_libraries() if one.name == "MySQL Connector/J")
    assert mysql.shared_remedies == ("stop_the_query", "look_at_innodb")
    look, own, *_ = (text.template for text in mysql.remedy)
    assert look == remedy("look_at_innodb")[0].template
    assert own == mysql.advice[0]
    assert mysql.remedy[-1] == remedy("stop_the_query")[0]


def test_what_a_database_does_at_this_minute_is_asked_first() -> None:
    databases = [one for one in lookup.all_libraries() if one.cause == "slow-database" and one.kind != "pool"]
    assert len(databases) > 20
    later = [one.name for one in databases if not one.remedy[0].template.startswith("Look at ")]
    assert not later
