"""GitLab's Code Quality report, by what GitLab's documentation asks of it."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from mqdiag.facts import Input
from mqdiag.findings import Acceptance, Report
from mqdiag.render import View, renderer
from mqdiag.text import say
from tests.render import samples


def issues(report: Report) -> list[dict[str, Any]]:
    read: list[dict[str, Any]] = json.loads(renderer("gitlab")(report, View()))
    return read


def test_each_finding_is_an_issue_of_the_form_that_gitlab_reads() -> None:
    found = issues(samples.ARTICLE)
    assert [one["check_name"] for one in found] == [one.rule for one in samples.ARTICLE.findings]
    assert len({one["fingerprint"] for one in found}) == len(found)
    for one in found:
        assert one.keys() == {"description", "check_name", "fingerprint", "severity", "location"}
        assert one["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert one["location"]["path"]
        assert one["location"]["lines"] == {"begin": 1}


def test_what_is_accepted_is_left_out_and_what_could_not_be_read_is_told() -> None:
    accepted = Acceptance(source="known.toml", reason="until release 7")
    first, *rest = samples.ARTICLE.findings
    unread = Input(path="./build/a.hprof", kind="heap", error=say("is empty"), complete=False)
    report = msgspec.structs.replace(
        samples.ARTICLE,
        findings=(msgspec.structs.replace(first, accepted=accepted), *rest),
        inputs=(*samples.ARTICLE.inputs, unread),
    )
    told = issues(report)
    assert first.fingerprint not in {one["fingerprint"] for one in told}
    assert (told[0]["check_name"], told[0]["location"]["path"]) == ("input-not-read", "build/a.hprof")
