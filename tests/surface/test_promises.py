"""Nothing that the last release promised is gone, unless a release before warned of it."""

from __future__ import annotations

import json
import tomllib

from tests.surface.surface import RELEASED, REMOVED, missing, surface


def test_what_the_last_release_promised_is_there() -> None:
    released = json.loads(RELEASED.read_text("utf-8"))["surface"]
    removed = tomllib.loads(REMOVED.read_text("utf-8"))["removed"]
    assert set(missing(released, surface())) == set(removed), "see docs/compatibility.md"


def test_each_removal_names_the_release_that_warned() -> None:
    for place, why in tomllib.loads(REMOVED.read_text("utf-8"))["removed"].items():
        assert set(why) == {"warned_in", "instead"}, place


def test_a_lost_field_is_noticed() -> None:
    now = surface()
    later = {**now, "json": {**now["json"], "Finding": {"rule": True}}}
    assert "json > Finding > severity" in missing(now, later)
    assert missing({"a": 1}, {"a": 2}) == ["a"]
    assert missing({"a": {"b": True}}, {"a": True}) == ["a"]
