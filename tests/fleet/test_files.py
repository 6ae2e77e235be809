"""Finding files: folders, globs, manifests; and which belong together."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mqdiag.errors import UsageError
from mqdiag.fleet.files.fingerprints import WHOLE, content_fingerprint
from mqdiag.fleet.files.incidents import Incident, IncidentFile, incidents
from mqdiag.fleet.files.labels import Labels, Template
from mqdiag.fleet.files.listing import EvidenceFile, Listing
from mqdiag.fleet.files.storage import storage
from mqdiag.fleet.options import Limits
from mqdiag.fleet.work.task import _fetched
from mqdiag.language import english

MINUTE_NS = 60 * 10**9


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in (
        "orders/h1/a.hprof",
        "orders/h2/b.hprof",
        "pay/h3/c.hprof",
        "pay/h3/.hidden",
        "_tmp/x/y.hprof",
    ):
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name.encode())
    return tmp_path / "in"


def _names(listing: Listing) -> list[str]:
    return sorted(file.uri.rpartition("/in/")[2] for file in listing)


def test_a_folder_gives_all_but_hidden_files(tree: Path) -> None:
    assert _names(Listing([str(tree)])) == ["orders/h1/a.hprof", "orders/h2/b.hprof", "pay/h3/c.hprof"]


def test_links_to_folders_are_counted_and_not_followed(tree: Path) -> None:
    """A loop has no end, and two of them have more paths than any disk; a link to a file is a file."""
    (tree / "pay/loop").symlink_to(tree / "pay")
    (tree / "orders/loop").symlink_to(tree)
    (tree / "pay/h3/linked.hprof").symlink_to(tree / "pay/h3/c.hprof")
    listing = Listing([str(tree)])
    assert _names(listing) == [
        "orders/h1/a.hprof",
        "orders/h2/b.hprof",
        "pay/h3/c.hprof",
        "pay/h3/linked.hprof",
    ]
    assert listing.left_out.linked_folders == 2


def test_a_given_link_is_followed(tree: Path) -> None:
    (tree.parent / "link").symlink_to(tree)
    assert len([*Listing([f"{tree.parent}/link"])]) == 3


def test_a_folder_that_cannot_be_listed_is_lost_evidence_and_the_rest_is_there(tree: Path) -> None:
    """Here the folder goes while the listing is on its way; one without permission fails in the same call."""
    files = iter(Listing([str(tree)]))
    found = [next(files)]
    shutil.rmtree(tree / "orders/h2")
    found += files
    assert [file.uri.rpartition("/in/")[2] for file in found] == [
        "orders/h1/a.hprof",
        "orders/h2",
        "pay/h3/c.hprof",
    ]
    assert found[1].labels == Labels(service="orders", host="h2")
    assert found[1].error is not None
    assert "orders/h2" in found[1].error


def test_files_from_before_a_time_are_left_out(tree: Path) -> None:
    """The label tells the time, then the file; a file without any time is taken."""
    os.utime(tree / "pay/h3/c.hprof", (1000, 1000))
    listing = Listing([str(tree)], since_ns=2000 * 10**9)
    assert _names(listing) == ["orders/h1/a.hprof", "orders/h2/b.hprof"]
    assert listing.left_out.too_old == 1


def test_the_output_is_no_input(tree: Path) -> None:
    assert _names(Listing([str(tree)], leave_out=[str(tree / "pay")])) == [
        "orders/h1/a.hprof",
        "orders/h2/b.hprof",
    ]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*/h*/[ab].hprof", ["orders/h1/a.hprof", "orders/h2/b.hprof"]),
        ("**/c.hprof", ["pay/h3/c.hprof"]),
        ("or*", ["orders/h1/a.hprof", "orders/h2/b.hprof"]),
    ],
)
def test_globs(tree: Path, pattern: str, found: list[str]) -> None:
    assert _names(Listing([f"{tree}/{pattern}"])) == found


def test_what_fits_no_template_is_counted(tree: Path) -> None:
    (tree / "stray.txt").write_text("x")
    listing = Listing([str(tree)], [Template("{service}/{host}/*.hprof")])
    assert len(_names(listing)) == 3
    assert listing.left_out.unlabelled == 1


def test_a_path_with_nothing_says_so(tmp_path: Path) -> None:
    listing = Listing([str(tmp_path), f"{tmp_path}/no", f"{tmp_path}/*.hprof"])
    assert list(listing) == []
    assert {path: english()(error) for path, error in listing.errors.items()} == {
        str(tmp_path): "no evidence files are there",
        f"{tmp_path}/no": "no such file or folder",
        f"{tmp_path}/*.hprof": "no evidence files are there",
    }


@pytest.mark.parametrize(
    ("places", "doubted"),
    [
        (["prod/orders/h1/a", "staging-2/orders/h1/a", "prod/pay/h1/a"], "services are called prod, staging-2"),
        (
            ["eu/orders/h1/a", "eu/orders/h2/a", "us/pay/h3/a"],
            "2 folders that are taken for hosts have 3 different",
        ),
        (["orders/h1/logs/a", "orders/h2/logs/a", "pay/h3/dumps/a"], None),
        (["orders/h1/20261121/a", "orders/h1/20261122/a"], None),
        (["orders/h1/a", "test-pay/h1/a"], None),
    ],
)
def test_labels_that_look_wrong_are_told(tmp_path: Path, places: list[str], doubted: str | None) -> None:
    for place in places:
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text("x")
    listing = Listing([str(tmp_path)])
    assert len(list(listing)) == len(places)
    told = [english()(doubt) for doubt in listing.doubts]
    assert (doubted is None and not told) or doubted in told[0]
    named = Listing([str(tmp_path)], [Template("{environment}/{service}/{host}/**"), Template("**/{host}/a")])
    assert len(list(named)) == len(places)
    assert named.doubts == ()


ROWS = {
    "path": ["orders/h1/a.hprof", "gone.hprof"],
    "service": ["shop", "shop"],
    "host": ["m1", "m2"],
    "time": ["2026-11-21T08:00:00Z", ""],
    "environment": ["prod", "prod"],
    "build": ["8.2", ""],
    "servce": ["a slip is no label", ""],
}


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_manifests(tree: Path, kind: str) -> None:
    manifest = tree / f"list.{kind}"
    if kind == "csv":
        lines = [",".join(ROWS), *(",".join(row) for row in zip(*ROWS.values(), strict=True))]
        manifest.write_text("\n".join(lines) + "\n")
    else:
        pq.write_table(pa.table(ROWS), manifest)
    first, second = Listing([str(manifest)])
    assert first.labels == Labels(
        service="shop", host="m1", environment="prod", time_ns=1795248000 * 10**9, more=(("build", "8.2"),)
    )
    assert second.labels.more == ()
    assert first.bytes == len("orders/h1/a.hprof")
    assert second.error == "no such file"


def test_a_manifest_without_paths_is_refused(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("file,host\na,b\n")
    listing = Listing([f"{tmp_path}/m.csv"])
    assert list(listing) == []
    assert "has no column path" in english()(listing.errors[f"{tmp_path}/m.csv"])


def _file(name: str, minute: float) -> EvidenceFile:
    labels = Labels(service="orders", host="h1", time_ns=int(minute * MINUTE_NS))
    return EvidenceFile(uri=name, bytes=10, labels=labels)


def _grouped(*files: EvidenceFile) -> list[list[str]]:
    return [[file.uri for file in one.files] for one in incidents(files, 600)]


def test_files_close_in_time_are_one_incident() -> None:
    assert _grouped(_file("a.hprof", 1), _file("s1.txt", 3), _file("s2.txt", 12), _file("late.txt", 23)) == [
        ["a.hprof", "s1.txt", "s2.txt"],
        ["late.txt"],
    ]


def test_a_second_dump_begins_an_incident_of_its_own() -> None:
    assert _grouped(_file("a.hprof", 1), _file("s.txt", 2), _file("b.hprof.gz", 3)) == [
        ["a.hprof", "s.txt"],
        ["b.hprof.gz"],
    ]


def test_an_endless_series_is_cut() -> None:
    assert len(_grouped(*(_file(f"{minute:05d}.txt", minute) for minute in range(1, 721, 5)))) == 2


def test_order_of_files_does_not_matter() -> None:
    files = [_file("a.hprof", 1), _file("s1.txt", 3), _file("late.txt", 23)]
    assert list(incidents(files, 600)) == list(incidents(reversed(files), 600))


def _fingerprint(path: Path) -> str:
    return content_fingerprint(IncidentFile(uri=str(path), bytes=path.stat().st_size))


def test_a_fingerprint_is_of_the_content(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(b"x" * 1000)
    two.write_bytes(b"x" * 1000)
    os.utime(two, (1, 1))
    assert _fingerprint(one) == _fingerprint(two)
    two.write_bytes(b"x" * 999 + b"y")
    assert _fingerprint(one) != _fingerprint(two)


@pytest.mark.parametrize("place", [0, 100, WHOLE, 2 * WHOLE - 1])
def test_a_large_file_is_known_by_blocks_of_it(tmp_path: Path, place: int) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(2 * WHOLE)
    before = _fingerprint(path)
    with path.open("r+b") as file:
        file.seek(place)
        file.write(b"\1" * 300_000)
        file.truncate(2 * WHOLE)
    assert _fingerprint(path) != before


def test_labels_are_part_of_an_incident() -> None:
    (one,) = incidents([_file("a", 1)], 600)
    assert isinstance(one, Incident)
    (other,) = incidents(
        [EvidenceFile(uri="a", bytes=10, labels=Labels(service="pay", host="h1", time_ns=1))], 600
    )
    assert one.listing != other.listing


def test_a_name_that_is_not_utf_8_is_lost_evidence_and_the_rest_is_there(tree: Path) -> None:
    """Tables and reports have no text for such a name, so that it is told escaped."""
    os.mkdir(os.fsencode(tree) + b"/svc\xff")
    for name in (b"/svc\xff/x.hprof", b"/pay/h3/d%\xfe.hprof", b"/pay/h3/.hid\xfe"):
        with open(os.fsencode(tree) + name, "wb"):
            pass
    by_uri = {file.uri: file for file in Listing([str(tree)])}
    lost = {uri for uri, file in by_uri.items() if file.error is not None}
    assert len(by_uri) == 5
    assert lost == {f"file://{tree}/svc%FF", f"file://{tree}/pay/h3/d%25%FE.hprof"}
    assert {by_uri[uri].error for uri in lost} == {"has a name that is not valid UTF-8; rename it"}
    assert by_uri[f"file://{tree}/svc%FF"].labels == Labels(service="svc%FF", host="unknown")
    assert (by_uri[f"file://{tree}/pay/h3/d%25%FE.hprof"].labels.host) == "h3"


def test_a_file_that_became_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.hprof")
    file = IncidentFile(uri=f"{tmp_path}/a.hprof", bytes=100)
    assert content_fingerprint(file) != content_fingerprint(IncidentFile(uri=f"{tmp_path}/b.hprof", bytes=100))
    store, path = storage(file.uri)
    with pytest.raises(OSError, match="is not a regular file"):
        store.open(path)


def test_a_file_that_became_a_pipe_or_a_folder_is_lost(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.hprof")
    (tmp_path / "b.hprof").mkdir()
    (tmp_path / "c.hprof").touch()
    files = [IncidentFile(uri=f"{tmp_path}/{name}.hprof", bytes=100) for name in "abc"]
    paths, lost = _fetched(files, tmp_path, Limits())
    assert list(paths) == [f"{tmp_path}/c.hprof"]
    assert [(one.file.uri[-7:], one.kind) for one in lost] == [("a.hprof", "lost"), ("b.hprof", "lost")]


def test_a_given_name_that_is_not_utf_8_is_an_error_of_its_own(tree: Path) -> None:
    given = f"{tree}/svc\udcff"
    os.mkdir(given)
    listing = Listing([given, f"{tree}/orders"])
    assert len(list(listing)) == 2
    assert english()(listing.errors[given]) == "has a name that is not valid UTF-8; rename it"
    with pytest.raises(UsageError, match="svc%FF has a name that is not valid UTF-8"):
        storage(given)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may look into all folders")
def test_a_folder_whose_files_cannot_be_looked_at_is_lost_evidence(tree: Path) -> None:
    (tree / "pay/h3").chmod(0o400)
    try:
        (lost,) = (file for file in Listing([str(tree)]) if file.error is not None)
    finally:
        (tree / "pay/h3").chmod(0o700)
    assert lost.uri == f"{tree}/pay/h3"
