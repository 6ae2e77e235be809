"""Manifests of a fleet that cost more than their size explains, or hold values that nothing can read."""

from __future__ import annotations

import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mqdiag.errors import UsageError
from mqdiag.fleet.files.listing import Listing
from mqdiag.language import english


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("path\na\0b\n", "row 1 has a path that is not valid on any system"),
        ("path\n" + "a," * 200_000, "has a line of more than 65,536 characters"),
        ("a," * 200_000 + "path\n", "has a line of more than 65,536 characters"),
        ('path\n"' + "\n" * 500_000, "field larger than field limit"),
    ],
)
def test_a_manifest_that_costs_much_is_refused(text: str, says: str, tmp_path: Path) -> None:
    manifest = tmp_path / "list.csv"
    manifest.write_text(text)
    listing = Listing([str(manifest)])
    assert list(listing) == []
    assert says in english()(listing.errors[str(manifest)])


def test_a_row_with_a_name_that_no_system_takes_is_lost_and_the_others_are_there(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    manifest = tmp_path / "list.csv"
    manifest.write_text(f"path\n{'y' * 300}\n{'z/' * 3000}\na.txt\n")
    *lost, good = Listing([str(manifest)])
    assert good.error is None
    assert ["Failed stat()ing path" in (one.error or "") for one in lost] == [True, True]


@pytest.mark.parametrize("place", ["gs://[::1/x", "http://[x", "reference://x", "hf://a/b", "foo://x"])
def test_a_row_with_a_store_that_cannot_be_is_an_error_of_the_user(place: str, tmp_path: Path) -> None:
    manifest = tmp_path / "list.csv"
    manifest.write_text(f"path\n{place}\n")
    with pytest.raises(UsageError):
        list(Listing([str(manifest)]))


def test_a_row_at_which_the_library_of_a_store_fails_ends_the_manifest_with_a_reason(tmp_path: Path) -> None:
    manifest = tmp_path / "list.csv"
    manifest.write_text('path\n"data://,x"\n')
    listing = Listing([str(manifest)])
    assert list(listing) == []
    assert english()(listing.errors[str(manifest)]) == "cannot be listed: list index out of range"


def refused(rows: pa.Table, folder: Path, **options: object) -> str:
    """Why a manifest in Parquet is refused, which takes little memory and CPU time."""
    manifest = folder / "list.parquet"
    pq.write_table(rows, manifest, **options)
    listing = Listing([str(manifest)])
    taken, begun = pa.total_allocated_bytes(), time.process_time()
    assert list(listing) == []
    assert pa.total_allocated_bytes() - taken < 10_000_000
    assert time.process_time() - begun < 1
    return english()(listing.errors[str(manifest)])


@pytest.mark.parametrize(
    ("paths", "rows"), [(["/x"], 300_000), (["/x/" + "y" * 60_000], 3_000), (["/x/" + "y" * 3_000_000], 1)]
)
def test_a_manifest_in_parquet_that_expands_is_refused(paths: list[str], rows: int, tmp_path: Path) -> None:
    """A path is stored once for all rows, or packed: 3 MB to 180 MB of texts in a few KB."""
    repeated = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), paths)
    says = refused(pa.table({"path": repeated}), tmp_path, compression="zstd", store_schema=False)
    assert says == "holds more than one row, or more than 200 bytes of text, for each byte of the file"


@pytest.mark.parametrize(
    ("column", "says"),
    [
        (
            pa.array([b"a\xff"], pa.binary()).cast(pa.string(), safe=False),
            "has a value out of range: 'utf-8' codec",
        ),
        (pa.array([2**62], pa.timestamp("us")), "has a value out of range: "),
        (pa.array([["/x"]]), "needs one column time, of texts or times"),
        (pa.array([b"x" * 1000], pa.binary(1000)), "needs one column time, of texts or times"),
        (pa.array(["y" * 70_000]), "has a text of more than 65,536 bytes"),
    ],
)
def test_a_column_of_a_manifest_that_cannot_be_read_is_refused(
    column: pa.Array, says: str, tmp_path: Path
) -> None:
    rows = pa.table({"path": ["/x"], "time": column})
    assert refused(rows, tmp_path, compression="none").startswith(says)
