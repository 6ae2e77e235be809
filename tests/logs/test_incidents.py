"""Logs of real brokers and clients, in trouble and healthy: what was made to happen is found, and nothing else."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mqdiag.config import Settings
from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.findings import Report, Severity
from mqdiag.language import english
from mqdiag.render import View, renderer
from mqdiag.rules.catalogue import rule_files
from tests.layers import CHECK, one_in_each_run, some_later

ROOT = Path(__file__).parents[2] / "fixtures" / "logs"
CASES = sorted(path.parent.name for path in ROOT.glob("*/truth.json"))
SILENT = {"sync-slave-stopped-5.3.3", "client-pull-lost-5.3.3"}
"""nothing of it is logged: only heap and threads show the stopped slave, and the queue that is not pulled"""
FOLLOWS = {
    "send-busy",
    "send-queue-timeout",
    "slow-writes",
    "slave-behind",
    "send-queue-full",
    "page-cache-busy",
    "gc-thrashing",
    "out-of-memory-thread",
    "threshold-divided",
    "retry-storm",
    "busy-workaround",
    "flow-control",
    "send-refused",
    "listener-throws",
    "consume-thread-interrupted",
    "pull-refused",
    "send-timeout",
    "connection-churn",
}
"""what may stand beside the fault: other sides of the same trouble"""
CUT = "client-retry-storm-5.3.3"
"""its logs are cut so early that neither group is seen to fail a hundred times a minute"""
EXACT = {
    "CommitLog#putMessage cost": "slow-put",
    "[NOTIFYME]putMessage in lock": "slow-put-in-lock",
    "TransientStorePool only remain 0 sheets": "pool-empty",
    "PULL_OFFSET_MOVED:correction offset": "offset-corrected",
    "over flow badly": "offset-overflow",
    "so mark disk full": "disk-marked-full",
    "the pull request offset illegal": "offset-illegal",
    "fix the pull request offset": "offset-fixed",
    "send expire msg back": "expired-sent-back",
    "the cached message count exceeds": "flow-control-count",
    "The cached message count exceeds": "flow-control-count",
    "the cached message size exceeds": "flow-control-size",
    "span too long": "flow-control-span",
    "The consume request count exceeds": "flow-control-waiting-requests",
}
"""kinds of event by a text of their lines, as the truth counts them"""


FROM_LOGS = {rule.card.name for rule in rule_files() if "logs" in (*rule.card.needs, *rule.card.any_of)}


def truth(case: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((ROOT / case / "truth.json").read_text())
    return read


NEWEST = {(case.rpartition("-")[0], *truth(case)["findings"]): case for case in CASES}
IN_EVERY_RUN = some_later(CASES, lambda case: case not in NEWEST.values(), layer=CHECK)
"""what happened, of the newest version; the same of older ones is a check"""


def report(case: str, *names: str) -> Report:
    """Of all files of a case, or of those that are named."""
    found = (ROOT / case / f"{name}.gz" for name in names) if names else sorted((ROOT / case).rglob("*.gz"))
    return _report(case, tuple(found))


@cache
def _report(case: str, files: tuple[Path, ...]) -> Report:
    settings = Settings(limits={"retry-storm": {"failures_per_minute": 90}}) if case == CUT else None
    diagnosis = diagnose_logs(files, settings)
    assert not diagnosis.crashes
    assert not [given.error for given in diagnosis.report.inputs if given.error]
    return diagnosis.report


@CHECK
def test_groups_that_fail_at_once_are_told_apart() -> None:
    """Both groups' logs are cut after some 97 failures a minute: together they would be above the limit of 100."""
    (one, other) = (found for found in report(CUT).findings if found.rule == "retry-storm")
    assert {one.subject.group, other.subject.group} == {"CID_orders", "CID_mail"}
    assert one.evidence["consume_exception"] == other.evidence["consume_exception"] == 192
    found = {found.rule for found in diagnose_logs(sorted((ROOT / CUT).rglob("*.gz"))).report.findings}
    assert found == {"listener-throws"}


def test_there_are_cases() -> None:
    assert len(CASES) >= 15


ALSO = {"client-pull-lost-5.3.3": {"start-failed"}}
"""what is true besides: its offset store lacks a class, by which the pull ends"""


@one_in_each_run(3)
@pytest.mark.parametrize("case", IN_EVERY_RUN)
def test_finds_what_was_made_to_happen(case: str) -> None:
    found = {finding.rule for finding in report(case).findings if not finding.undecides}
    wanted = set() if case in SILENT else set(truth(case)["findings"]) & FROM_LOGS
    assert wanted <= found
    assert found <= wanted | FOLLOWS | ALSO.get(case, set()), "and nothing else"


@one_in_each_run(4)
@pytest.mark.parametrize("case", [case for case in CASES if case.startswith("healthy")])
def test_a_healthy_log_gives_no_finding(case: str) -> None:
    """Though each has WARN and ERROR lines of its start."""
    assert report(case).findings == ()
    assert any(" WARN " in texts or " ERROR " in texts for texts in truth(case)["lines_with"].values())


def test_a_pool_in_order_gives_no_finding() -> None:
    assert report("pool-in-order-5.3.3").findings == ()


@one_in_each_run(4)
@pytest.mark.parametrize("case", IN_EVERY_RUN)
def test_counts_lines_as_grep_does(case: str) -> None:
    for name, texts in truth(case)["lines_with"].items():
        wanted: dict[str, int] = {}
        for text, count in texts.items():
            if text in EXACT:
                wanted[EXACT[text]] = wanted.get(EXACT[text], 0) + count
        if not wanted:
            continue
        logs = report(case, name).logs
        assert logs is not None
        assert {kind: logs.count(kind) for kind in wanted} == wanted, name


def test_verdicts() -> None:
    for case in ("page-cache-busy-4.3.2", "page-cache-busy-4.9.7", "page-cache-busy-5.3.3"):
        first = report(case).findings[0]
        assert (first.rule, first.severity) == ("page-cache-busy", Severity.ERROR)
    for case in ("pool-exhausted-4.3.2", "pool-exhausted-5.3.3"):
        first = report(case).findings[0]
        assert (first.rule, first.severity) == ("transient-pool-exhausted", Severity.ERROR)


@CHECK
def test_low_limits_are_no_busy_page_cache() -> None:
    """The five texts come from a sound disk when a limit is one millisecond."""
    for case in ("low-limits-4.3.2", "low-limits-5.3.3"):
        found = {finding.rule: finding for finding in report(case).findings}
        assert "page-cache-busy" not in found
        assert found["send-queue-full"].cause == "small-queue"
        assert found["send-queue-timeout"].cause == "short-limit"


def test_a_pool_without_buffers_is_no_sync_flush() -> None:
    """ASYNC_FLUSH holds the letters of SYNC_FLUSH."""
    found = {finding.rule: finding.cause for finding in report("pool-exhausted-4.3.2").findings}
    assert found["send-queue-timeout"] == "slow-sends"


def test_reset_to_zero_of_4_3_2_and_not_of_5_3_3() -> None:
    old, new = report("power-loss-4.3.2"), report("power-loss-5.3.3")
    (finding,) = [one for one in old.findings if one.rule == "offset-reset-to-zero"]
    stored = truth("power-loss-4.3.2")["stored_offsets"]
    assert finding.subject.group == "CID_orders"
    assert str(finding.evidence["requested_offset"]) in json.dumps(stored)
    assert new.logs is not None
    assert new.logs.offset_resets
    assert all(reset.given > 0 for reset in new.logs.offset_resets)


def test_a_slave_that_is_ahead_is_not_behind() -> None:
    for case in ("power-loss-4.3.2", "power-loss-5.3.3"):
        causes = [
            one.cause for one in report(case).findings if one.rule in ("slave-behind", "offset-not-matched")
        ]
        assert causes == ["slave-ahead", "slave-ahead"]


def test_no_command_asks_a_broker_for_what_a_later_version_answers() -> None:
    (finding,) = [one for one in report("slave-behind-4.3.2").findings if one.rule == "slave-behind"]
    commands = " ".join(english()(one.command) for one in finding.now)
    assert "brokerStatus" in commands
    assert "haStatus" not in commands


def test_without_a_slave_the_lag_says_nothing() -> None:
    """The same line then counts all that the master ever wrote, and grows."""
    logs = report("healthy-4.3.2").logs
    assert logs is not None
    (gap,) = logs.replica_gaps
    assert gap.growing
    assert not gap.replica_seen


def test_the_broker_of_a_healthy_log_writes_fast() -> None:
    logs = report("healthy-4.3.2").logs
    assert logs is not None
    assert logs.pagecachert is not None
    assert logs.pagecachert.puts > 1000
    assert logs.pagecachert.from_100_ms == 0


def test_clocks_of_one_incident_agree() -> None:
    """The broker's GMT+8 and the client's local time are the same instants, once the zone is named."""
    files = sorted((ROOT / "page-cache-busy-4.3.2").rglob("*.gz"))
    logs = diagnose_logs(files, utc_offset_minutes=0).report.logs
    assert logs is not None
    broker = next(event for event in logs.events if event.kind == "slow-put-in-lock")
    client = next(event for event in logs.events if event.kind == "busy-pc-clean")
    assert broker.first is not None
    assert client.first is not None
    assert broker.first.endswith("+08:00")
    assert client.first.endswith("+08:00")
    assert broker.first[:15] == client.first[:15], "within ten minutes"


@pytest.mark.parametrize("form", ["text", "html"])
def test_a_process_that_ran_out_of_memory_is_not_called_healthy(form: str, tmp_path: Path) -> None:
    log = tmp_path / "rocketmq_client.log"
    log.write_text("2026-11-21 20:00:01 WARN main - java.lang.OutOfMemoryError: Java heap space\n")
    report = diagnose_logs([log]).report
    assert [finding.severity for finding in report.findings] == [Severity.ERROR], "nothing else explains it"
    shown = renderer(form)(report, View())
    assert "No fault found" not in shown
    assert "OutOfMemoryError" in shown
