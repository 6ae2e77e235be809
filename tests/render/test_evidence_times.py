"""All evidence of an incident on one axis, as far as its clocks can be compared."""

from __future__ import annotations

import re

import msgspec

from mqdiag.findings import Report
from mqdiag.render import View, renderer
from tests.render.html.reports import stuck_incident


def parts(report: Report) -> tuple[str, str]:
    """The picture of the times, below the answer, and the section with their table; empty where they are not there."""
    page = renderer("html")(report, View())
    pictures = re.search(r'<section id="picture".*?</section>', page, re.DOTALL)
    figures = re.findall(r"<figure.*?</figure>", "" if pictures is None else pictures[0], re.DOTALL)
    table = re.search(r'<section id="times".*?</section>', page, re.DOTALL)
    picture = next((one for one in figures if "Evidence from " in one), "")
    return picture, "" if table is None else table[0]


def test_the_table_has_all_evidence_and_the_picture_one_clock() -> None:
    figure, table = parts(stuck_incident())
    assert figure.count("thread dumps: 1 at 2026-11-21 12:12:4") == 4
    assert "flow-control-span: 1 at 2026-11-21 12:11:00" in figure
    assert "The picture lacks heap dump: their times are told with a time zone" in figure
    assert "heap dump: 1 at" not in figure
    assert "Evidence from 2026-11-21 12:11:46 to 2026-11-21 12:12:51" in figure
    assert "2026-11-21 12:12:52 +00:00" in table


def test_times_with_a_zone_are_on_one_axis() -> None:
    report = stuck_incident()
    assert report.stacks is not None
    series = tuple(
        msgspec.structs.replace(one, captured_at=f"{(one.captured_local or '').replace(' ', 'T')}+00:00")
        for one in report.stacks.series
    )
    stacks = msgspec.structs.replace(report.stacks, series=series)
    figure, _ = parts(msgspec.structs.replace(report, stacks=stacks, logs=None))
    assert "heap dump: 1 at 2026-11-21 12:12:52 +00:00" in figure
    assert "The picture lacks" not in figure


def test_one_kind_of_evidence_has_no_timeline() -> None:
    assert parts(msgspec.structs.replace(stuck_incident(), stacks=None, logs=None)) == ("", "")
