"""offset-ahead-of-store on real stores, and on written ones for what must and must not be said."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import msgspec
import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.facts import AdminFacts, Facts
from mqdiag.facts.admin import BrokerListed
from mqdiag.facts.stores import StoresFacts
from mqdiag.findings import Finding, Report
from mqdiag.language import english
from mqdiag.rules import offset_ahead_of_store
from tests.folded import folded
from tests.programs import need
from tests.read.stores.written import WrittenStore
from tests.rules import checks
from tests.rules.checks import said
from tests.rules.examples import example_of
from tests.rules.numbers import unproven

FIXTURES = Path(__file__).parents[2] / "fixtures" / "stores"
CASES = sorted(path.name for path in FIXTURES.iterdir())
NAME = "offset-ahead-of-store"


def laid_out(case: str, moment: str, folder: Path) -> Path:
    with tarfile.open(FIXTURES / case / f"{moment}.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    return folder


def found(report: Report) -> list[Finding]:
    assert not report.failed
    found = [finding for finding in report.findings if finding.rule == NAME]
    assert not [finding for finding in found if unproven(finding)]
    return found


def master_and_slave(
    folder: Path, *, master: int, slave: int, offset: int, slave_offset: int | None = None
) -> Path:
    for role, end, stored in (("master", master, offset), ("slave", slave, slave_offset)):
        written = WrittenStore(folder / role, offsets={"orders@CID": {0: offset if stored is None else stored}})
        written.send("orders", 0, end)
        written.write()
    return folder


@pytest.mark.parametrize("case", CASES)
def test_a_lost_tail_is_found_before_the_restart(case: str, tmp_path: Path) -> None:
    truth = json.loads((FIXTURES / case / "truth.json").read_text())
    report = diagnose_incident([laid_out(case, "tail-lost", tmp_path)]).report
    (finding,) = found(report)
    stored, ends = truth["stored_offsets"]["orders@CID_orders"], truth["master_max_offsets"]
    ahead = {queue: offset - ends[f"orders/{queue}"] for queue, offset in stored.items()}
    assert (finding.severity, finding.cause, finding.confidence) == ("error", "lost-tail", "high")
    assert (finding.subject.group, finding.subject.topic) == ("CID_orders", "orders")
    assert finding.evidence["beyond"] == max(ahead.values())
    assert finding.evidence["queues"] == len(ahead)
    assert finding.evidence["missing_messages"] == sum(ahead.values())
    assert finding.evidence["consumed_again_up_to_4_9_3"] == sum(ends.values())
    if truth["version"].startswith("5"):
        assert (finding.evidence["outcome"], finding.evidence["consumed_again"]) == ("to-end", 0)
        # the slave's offsets are older there: those of the master stay
        assert "--exclude='/config/consumerOffset.json*'" in said(finding)
    else:
        assert (finding.evidence["outcome"], finding.evidence["consumed_again"]) == ("depends-on-version", None)
        assert "--exclude='/config/consumerOffset.json*'" not in said(finding)


@pytest.mark.parametrize("case", CASES)
def test_a_pair_in_order_gives_nothing(case: str, tmp_path: Path) -> None:
    report = diagnose_incident([laid_out(case, "in-order", tmp_path)]).report
    assert report.findings == ()
    assert NAME in report.checked
    assert report.stores is not None
    assert len(report.stores.pairs) == 1


@pytest.mark.parametrize("case", CASES)
def test_the_master_alone_is_enough_to_warn(case: str, tmp_path: Path) -> None:
    (finding,) = found(diagnose_incident([laid_out(case, "tail-lost", tmp_path) / "master"]).report)
    assert (finding.cause, finding.confidence) == ("offset-beyond-end", "medium")
    assert "slave's store too" in said(finding)


@pytest.mark.parametrize("case", CASES)
def test_the_way_that_is_shown_is_a_way(case: str, tmp_path: Path) -> None:
    """The commands of the remedy, run as they stand, leave a pair in which nothing is found."""
    need("rsync")
    laid_out(case, "tail-lost", tmp_path)
    (tmp_path / "master" / "config" / "broker.conf").write_text("brokerRole=SYNC_MASTER\n")
    # files made at their full size and written in one second look alike to rsync
    for file in tmp_path.rglob("*"):
        os.utime(file, (1_795_000_000, 1_795_000_000))
    (finding,) = found(diagnose_incident([tmp_path]).report)
    _, keep, copy = [command for action in finding.now if (command := english()(action.command))]
    for command in (keep, copy):
        subprocess.run(["sh", "-c", command], check=True)
    assert (tmp_path / "master" / "config" / "broker.conf").read_text() == "brokerRole=SYNC_MASTER\n"
    assert (tmp_path / "master.before-restart" / "config" / "consumerOffset.json").exists()
    report = diagnose_incident([tmp_path / "master", tmp_path / "slave"]).report
    assert found(report) == []
    copied = sorted((tmp_path / "slave" / "consumequeue").rglob("0" * 20))
    assert copied
    for file in copied:
        assert (tmp_path / "master" / file.relative_to(tmp_path / "slave")).read_bytes() == file.read_bytes()


def test_offsets_that_the_slave_alone_has_count(tmp_path: Path) -> None:
    """Consumers read from the slave while the master was down: their progress is in its file."""
    master_and_slave(tmp_path, master=30, slave=80, offset=30, slave_offset=75)
    (finding,) = found(diagnose_incident([tmp_path]).report)
    assert finding.evidence["stored_offset"] == 75
    assert finding.evidence["stored_in"] == str(tmp_path / "slave")
    assert finding.evidence["beyond"] == 45


def test_a_slave_that_is_behind_is_none_of_it(tmp_path: Path) -> None:
    master_and_slave(tmp_path, master=80, slave=30, offset=80)
    assert diagnose_incident([tmp_path]).report.findings == ()


def test_a_topic_made_again_is_not_a_lost_tail(tmp_path: Path) -> None:
    """Both stores end alike, far below the offsets: nothing was lost between them."""
    master_and_slave(tmp_path, master=5, slave=5, offset=900)
    (finding,) = found(diagnose_incident([tmp_path]).report)
    assert (finding.severity, finding.cause) == ("warning", "stale-offset")
    assert "Nothing has to be copied" in said(finding)


def test_offsets_of_topics_that_are_gone_are_left_alone(tmp_path: Path) -> None:
    written = WrittenStore(tmp_path / "master", offsets={"gone@CID": {0: 900}, "orders@CID": {0: 5, 3: 0}})
    written.send("orders", 0, 5)
    written.write()
    assert diagnose_incident([tmp_path]).report.findings == ()


def test_unknown_roles_are_said(tmp_path: Path) -> None:
    master_and_slave(tmp_path, master=30, slave=80, offset=75)
    (tmp_path / "master").rename(tmp_path / "a")
    (tmp_path / "slave").rename(tmp_path / "b")
    (finding,) = found(diagnose_incident([tmp_path]).report)
    assert finding.confidence == "medium"
    assert english()(finding.title).endswith("if that is the master's store")


def test_one_known_role_tells_the_other(tmp_path: Path) -> None:
    master_and_slave(tmp_path, master=30, slave=80, offset=75)
    (tmp_path / "master").rename(tmp_path / "store")
    (finding,) = found(diagnose_incident([tmp_path]).report)
    assert (finding.cause, finding.confidence) == ("lost-tail", "high")
    assert finding.evidence["path"] == str(tmp_path / "store")


def test_the_settings_of_the_broker_go_before_names(tmp_path: Path) -> None:
    master_and_slave(tmp_path, master=80, slave=30, offset=75)
    (tmp_path / "master" / "config" / "broker.conf").write_text("brokerRole = SLAVE\nbrokerId=1\n")
    (tmp_path / "slave" / "config" / "broker.properties").write_text("brokerId=0\n")
    (finding,) = found(diagnose_incident([tmp_path]).report)
    assert finding.evidence["path"] == str(tmp_path / "slave")
    assert finding.confidence == "high"


def test_settings_of_another_broker_in_the_same_folder_are_not_taken(tmp_path: Path) -> None:
    master_and_slave(tmp_path, master=30, slave=80, offset=75)
    (tmp_path / "other.conf").write_text("brokerId=0\nstorePathRootDir=/data/other\n")
    (finding,) = found(diagnose_incident([tmp_path]).report)
    assert (finding.cause, finding.confidence) == ("lost-tail", "high")


def test_stores_of_two_brokers_are_not_compared(tmp_path: Path) -> None:
    master_and_slave(tmp_path, master=30, slave=80, offset=75)
    other = WrittenStore(tmp_path / "other-slave", offsets={"orders@CID": {0: 60}})
    other.send("bills", 0, 1)
    other.send("orders", 0, 90)
    other.write()
    report = diagnose_incident([tmp_path]).report
    assert report.stores is not None
    assert [(Path(pair.first).name, Path(pair.second).name) for pair in report.stores.pairs] == [
        ("master", "slave")
    ]


def test_a_master_that_went_on_writing_is_said_to_have_diverged(tmp_path: Path) -> None:
    master_and_slave(tmp_path, master=30, slave=80, offset=75)
    written = WrittenStore(tmp_path / "master", offsets={"orders@CID": {0: 75}})
    written.send("orders", 0, 30)
    written.send("bills", 0, 1)
    written.send("orders", 0, 5)
    shutil.rmtree(tmp_path / "master")
    written.write()
    report = diagnose_incident([tmp_path]).report
    assert report.stores is not None
    assert report.stores.pairs[0].diverged is True
    assert "different messages at the same offsets" in said(found(report)[0])


@folded(
    "version, outcome, again",
    [
        ("V4_9_3", "to-zero", 10_000),
        ("V4_3_2", "to-zero", 10_000),
        ("V4_9_4", "to-end", 0),
        ("V5_0_0-ALPHA", "to-zero", 10_000),
        ("V5_0_0", "to-end", 0),
        ("nonsense", "depends-on-version", None),
    ],
)
def test_the_version_decides_what_would_happen(version: str, outcome: str, again: int | None) -> None:
    listed = BrokerListed(
        source="x", cluster="c", broker="b", broker_id=0, address="127.0.0.1:10911", version=version
    )
    facts = msgspec.structs.replace(
        example_of(offset_ahead_of_store).fires(), admin=AdminFacts(brokers=(listed,))
    )
    (finding,) = checks.findings(offset_ahead_of_store, facts)
    assert (finding.evidence["outcome"], finding.evidence["consumed_again"]) == (outcome, again)
    if again is not None:
        assert finding.evidence["broker_version"] == version[1:].replace("_", ".")


def test_a_queue_whose_first_messages_are_deleted_is_not_consumed_again() -> None:
    facts = example_of(offset_ahead_of_store).fires()
    assert facts.stores is not None
    stores = tuple(
        msgspec.structs.replace(
            store, queues=tuple(msgspec.structs.replace(queue, min_offset=12) for queue in store.queues)
        )
        for store in facts.stores.stores
    )
    facts = Facts(stores=StoresFacts(stores=stores, pairs=facts.stores.pairs))
    (finding,) = checks.findings(offset_ahead_of_store, facts)
    assert finding.evidence["consumed_again_up_to_4_9_3"] == 0


LISTERS = {
    "find -printf": "find master slave -type f -printf '%s %p\\n'",
    "find -ls": "find master slave -type f -ls",
    "ls -lR": "ls -lR master slave",
}


@pytest.mark.parametrize("lister", LISTERS.values(), ids=LISTERS)
def test_a_listing_and_the_offsets_are_enough_where_they_can_be(lister: str, tmp_path: Path) -> None:
    """Offset 1,300 lies beyond the 1,000 entries that the master's one file can have, 70 might lie in it."""
    work = tmp_path / "work"
    for role in ("master", "slave"):
        written = WrittenStore(work / role, offsets={"orders@CID": {0: 1300}, "orders@CID_two": {0: 20}})
        written.send("orders", 0, 30 if role == "master" else 1310)
        written.write()
    given = tmp_path / "given"
    (given / "master").mkdir(parents=True)
    listed = subprocess.run(["sh", "-c", lister], cwd=work, capture_output=True, text=True, check=True).stdout
    (given / "files.txt").write_text(listed)
    shutil.copy(work / "master" / "config" / "consumerOffset.json", given / "master" / "consumerOffset.json")
    report = diagnose_incident([given]).report
    (finding,) = found(report)
    assert finding.confidence == "medium"
    assert finding.evidence["stored_offset"] == 1300
    assert finding.evidence["max_offset"] == 50
    assert "at 50 at most" in said(finding)
    assert any("cannot decide" in english()(skip.reason) for skip in report.skipped) is False


def test_a_listing_that_cannot_tell_says_so(tmp_path: Path) -> None:
    work = WrittenStore(tmp_path / "work", offsets={"orders@CID": {0: 40}})
    work.send("orders", 0, 30)
    work.write()
    given = tmp_path / "given"
    given.mkdir()
    command = "find . -type f -printf '%s %p\\n'"
    listed = subprocess.run(
        ["sh", "-c", command], cwd=tmp_path / "work", capture_output=True, text=True, check=True
    )
    (given / "store.txt").write_text(listed.stdout)
    shutil.copy(tmp_path / "work" / "config" / "consumerOffset.json", given)
    report = diagnose_incident([given]).report
    assert report.findings == ()
    assert any(
        skip.rule == NAME and "cannot decide 1 stored offset" in english()(skip.reason)
        for skip in report.skipped
    )


def test_an_offset_file_alone_is_told_what_it_lacks(tmp_path: Path) -> None:
    WrittenStore(tmp_path / "work", offsets={"orders@CID": {0: 40}}).write()
    report = diagnose_incident([tmp_path / "work" / "config" / "consumerOffset.json"]).report
    (given,) = report.inputs
    assert "no store folder" in english()(given.error or given.skipped or "")


@pytest.mark.parametrize("bad", ["-1326", '"many"', "99999999999999999999", "null"])
def test_offsets_that_cannot_be_used_are_told_and_not_called_in_order(bad: str, tmp_path: Path) -> None:
    """A real pair in order, one offset of which was damaged: unknown is not 0, and not fine."""
    folder = laid_out("power-loss-4.3.2", "in-order", tmp_path)
    path = folder / "master" / "config" / "consumerOffset.json"
    text = re.sub(r"0:\d+", f"0:{bad}", path.read_text(), count=1)
    assert text != path.read_text()
    path.write_text(text)
    report = diagnose_incident([folder]).report
    assert report.stores is not None
    master = next(store for store in report.stores.stores if store.role == "master")
    assert master.unusable_offsets == 1
    assert "queue 0 has" in english()(master.unreadable["consumerOffset.json"])
    assert any("1 stored offset" in english()(skip.reason) for skip in report.skipped if skip.rule == NAME)
    assert report.answer.state == "undecided"
