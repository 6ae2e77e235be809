"""The broker's version from what it prints at its start: exact on real brokers, unknown rather than guessed."""

from __future__ import annotations

import gzip
import tarfile
from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.facts.logs import VersionRange
from mqdiag.language import english
from mqdiag.logs.versions import SETTINGS, number
from tests.layers import CHECK, one_in, one_in_each_run
from tests.logs.given import facts, line

FIXTURES = Path(__file__).parents[2] / "fixtures"
LOGS = FIXTURES / "logs"
CASES = sorted(path.parent.parent.name for path in LOGS.glob("*/broker/broker.log.gz"))


def started(*names: str) -> VersionRange | None:
    return facts(
        "".join(line(f"{name}=1", level="INFO") for name in names), names=("x/broker.log",)
    ).broker_version


def versions_of(case: str) -> list[VersionRange]:
    logs = diagnose_logs(sorted((LOGS / case).rglob("*.gz"))).report.logs
    assert logs is not None
    found = [logs.broker_version, *(broker.version for broker in logs.brokers)]
    return [one for one in found if one is not None]


@one_in_each_run(3)
@pytest.mark.parametrize("case", one_in(6, CASES))
def test_the_true_version_lies_in_the_range(case: str) -> None:
    true = number(case.rpartition("-")[2])
    found = versions_of(case)
    assert found
    for one in found:
        assert one.since is not None
        assert number(one.since) <= true
        assert one.before is None or true < number(one.before)
        assert not one.reason


@CHECK
def test_ranges_are_narrow() -> None:
    (old,), (middle,), (new,) = (versions_of(f"healthy-{version}") for version in ("4.3.2", "4.9.7", "5.3.3"))
    assert (old.since, old.before) == ("4.3.1", "4.4.0")
    assert (middle.since, middle.before) == ("4.9.4", "5.0.0")
    assert (new.since, new.before) == ("5.3.3", None)


def test_clients_and_brokers_without_their_start_tell_nothing() -> None:
    assert versions_of("client-expired-4.9.7") == []
    assert facts(line("[PAGECACHERT] TotalPut 1, PutMessageDistributeTime [<=0ms]:1 ")).broker_version is None


def test_what_is_missing_counts_only_between_its_neighbours() -> None:
    """A log that begins in the middle of the settings lacks the others, whatever the version."""
    cut = started("waitTimeMillsInSendQueue", "waitTimeMillsInHeartbeatQueue")
    assert cut is not None
    assert (cut.since, cut.before) == ("4.3.0", None)
    whole = started(
        "waitTimeMillsInSendQueue", "waitTimeMillsInHeartbeatQueue", "startAcceptSendRequestTimeStamp"
    )
    assert whole is not None
    assert (whole.since, whole.before) == ("4.3.0", "4.3.1")


def test_a_contradiction_is_no_version() -> None:
    odd = started("storePathCommitLog", "flushIntervalCommitLog", "enableRetryTopicV2")
    assert odd is not None
    assert (odd.since, odd.before) == (None, None)
    assert odd.reason


def test_a_pre_release_is_told_as_such() -> None:
    odd = started("enablePopLog", "slaveTimeout")
    assert odd is not None
    assert (odd.since, odd.before) == (None, None)
    assert "before 5.0.0 was released" in english()(odd.reason)


def test_settings_are_in_the_order_of_versions() -> None:
    assert [one.since for one in SETTINGS] == sorted((one.since for one in SETTINGS), key=number)


def test_a_reset_to_zero_alone_tells_an_upper_bound(tmp_path: Path) -> None:
    text = gzip.decompress((LOGS / "power-loss-4.3.2" / "broker" / "broker.log.gz").read_bytes())
    rest = b"".join(row for row in text.splitlines(keepends=True) if b" main - " not in row)
    (tmp_path / "broker.log").write_bytes(rest)
    report = diagnose_logs([tmp_path / "broker.log"]).report
    assert report.logs is not None
    version = report.logs.broker_version
    assert version is not None
    assert (version.since, version.before) == (None, "4.9.4")
    (finding,) = [one for one in report.findings if one.rule == "offset-reset-to-zero"]
    assert finding.evidence["broker_before"] == "4.9.4"


def test_words_of_5_x_about_an_overflow_tell_a_lower_bound(tmp_path: Path) -> None:
    text = gzip.decompress((LOGS / "power-loss-5.3.3" / "broker" / "broker.log.gz").read_bytes())
    rest = b"".join(row for row in text.splitlines(keepends=True) if b" main - " not in row)
    (tmp_path / "broker.log").write_bytes(rest)
    logs = diagnose_logs([tmp_path / "broker.log"]).report.logs
    assert logs is not None
    assert logs.broker_version is not None
    assert (logs.broker_version.since, logs.broker_version.before) == ("5.0.0", None)


def test_stores_of_4_x_are_judged_by_the_version_that_the_logs_tell(tmp_path: Path) -> None:
    with tarfile.open(FIXTURES / "stores" / "power-loss-4.3.2" / "tail-lost.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")

    def outcome(*paths: Path) -> tuple[object, object]:
        report = diagnose_incident(paths).report
        (finding,) = [one for one in report.findings if one.rule == "offset-ahead-of-store"]
        return finding.evidence["outcome"], finding.evidence["broker_version"]

    assert outcome(tmp_path) == ("depends-on-version", "4.x")
    old = LOGS / "power-loss-4.3.2" / "broker" / "broker.log.gz"
    assert outcome(tmp_path, old) == ("to-zero", "4.3.1 or later, before 4.4.0")
    new = LOGS / "healthy-4.9.7" / "broker" / "broker.log.gz"
    assert outcome(tmp_path, new) == ("to-end", "4.9.4 or later, before 5.0.0")
    assert outcome(tmp_path, old, new) == ("depends-on-version", "4.x"), "brokers of two versions tell neither"
