"""Java names shortened to the space there is."""

from __future__ import annotations

from mqdiag.render.wording.class_names import shortened
from tests.folded import folded


@folded(
    "name, width, shown",
    [
        ("byte[]", 3, "byte[]"),
        ("org.apache.rocketmq.common.message.MessageExt", 80, "org.apache.rocketmq.common.message.MessageExt"),
        ("org.apache.rocketmq.common.message.MessageExt", 35, "o.a.r.common.message.MessageExt"),
        ("org.apache.rocketmq.common.message.MessageExt", 5, "o.a.r.c.m.MessageExt"),
        ("class com.example.Holder.cache", 20, "class c.e.Holder.cache"),
        ("java.lang.Object.wait(Object.java:338)", 33, "j.l.Object.wait(Object.java:338)"),
        ("org.a.Holder.cache.map -> java.util.HashMap", 40, "o.a.Holder.cache.map -> j.util.HashMap"),
        ("", 5, ""),
    ],
)
def test_names_keep_what_distinguishes_them(name: str, width: int, shown: str) -> None:
    assert shortened(name, width) == shown
