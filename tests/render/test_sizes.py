"""Numbers as people read them."""

from __future__ import annotations

import pytest
from mqdiag.render.wording.sizes import duration, number, share, size

from mqdiag.render.wording.class_names import fit


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (None, "?"),
        (0, "0 B"),
        (1023, "1,023 B"),
        (1024, "1.0 KiB"),
        (42_300, "41.3 KiB"),
        (55 * 100 * 428_311, "2,246 MiB"),
        (2 * 1024**3, "2,048 MiB"),
        (20 * 1024**3, "20.0 GiB"),
        (3 * 1024**5, "3,072 TiB"),
    ],
)
def test_size(count: int | None, shown: str) -> None:
    assert size(count) == shown


@pytest.mark.parametrize(
    ("ms", "shown"),
    [
        (None, "?"),
        (340, "340 ms"),
        (61_000, "61 s"),
        (540_000, "9 min"),
        (7_200_000, "2.0 h"),
        (180_000_000, "2.1 days"),
    ],
)
def test_duration(ms: int | None, shown: str) -> None:
    assert duration(ms) == shown


def test_unknown_is_never_a_zero() -> None:
    assert number(None) == "?"
    assert share(None, 10) == "?"
    assert share(1, None) == "?"
    assert share(1, 1000) == "<1 %"
    assert share(0, 1000) == "0 %"


@pytest.mark.parametrize(
    ("name", "width", "shown"),
    [
        ("byte[]", 3, "byte[]"),
        ("org.apache.rocketmq.common.message.MessageExt", 80, "org.apache.rocketmq.common.message.MessageExt"),
        ("org.apache.rocketmq.common.message.MessageExt", 35, "o.a.r.common.message.MessageExt"),
        ("org.apache.rocketmq.common.message.MessageExt", 5, "o.a.r.c.m.MessageExt"),
        ("class com.example.Holder.cache", 20, "class c.e.Holder.cache"),
        ("", 5, ""),
    ],
)
def test_class_names_keep_what_tells_them_apart(name: str, width: int, shown: str) -> None:
    assert fit(name, width) == shown
