"""Arrow arrays from texts."""

from __future__ import annotations

import pyarrow as pa
import pytest

from mqdiag.query import arrow_arrays

TEXTS = ["topic", None, "", "消费", "group"]


@pytest.mark.parametrize(("most_bytes", "kind"), [(16, pa.string()), (15, pa.large_string())])
def test_places_are_as_wide_as_the_texts_need(
    most_bytes: int, kind: pa.DataType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrow_arrays, "_MOST_TEXT_BYTES", most_bytes)
    made = arrow_arrays.text_array(TEXTS)
    made.validate(full=True)
    assert (made.type, made.to_pylist()) == (kind, TEXTS)
