"""Threads of the gRPC client, against what its listeners wrote down."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import msgspec
import pytest

from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.findings import Report
from mqdiag.language import english
from mqdiag.rules import workers_saturated
from mqdiag.text import Text
from mqdiag.threads.roles import role_of_name
from tests.folded import folded
from tests.rules.checks import findings
from tests.rules.examples import example_of

CASES = Path(__file__).parents[2] / "fixtures" / "grpc"
SERIES = sorted(path.parent.name for path in CASES.glob("*/series.tar.gz"))


def words(texts: tuple[Text, ...]) -> str:
    return " ".join(map(english(), texts))


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    found = {}
    for name in SERIES:
        folder = tmp_path_factory.mktemp(name)
        with tarfile.open(CASES / name / "series.tar.gz") as archive:
            archive.extractall(folder, filter="data")
        found[name] = diagnose_stacks([str(path) for path in sorted(folder.iterdir())]).report
    return found


@pytest.mark.parametrize("name", SERIES)
def test_states(name: str, reports: dict[str, Report]) -> None:
    truth = json.loads((CASES / name / "truth.json").read_text())["stacks"]
    stacks = reports[name].stacks
    assert stacks is not None
    states = {one.name: one.state for one in stacks.threads if one.role == "consume-worker"}
    assert {thread for thread, state in states.items() if state == "stuck"} == set(truth["stuck"])
    for thread in truth["progressing"]:
        assert states[thread] in ("progressing", "idle")
    faults = [one for one in reports[name].findings if one.severity.value == "error"]
    assert bool(faults) is bool(truth["stuck"])
    for one in stacks.threads:
        if one.name in truth["stuck"]:
            assert one.listener is not None
            assert one.listener.startswith("com.acme.shop.OrderListener.consume(")


def test_stuck_workers(reports: dict[str, Report]) -> None:
    found = reports["stuck-5.2.0"].findings[0]
    assert (found.rule, found.cause) == ("stuck-socket-read", "missing-http-timeout")
    assert len(found.evidence["threads"]) == 4


def test_busy_workers_move() -> None:
    """Their remedy is in the words of the gRPC client."""
    facts = example_of(workers_saturated).fires()
    assert facts.stacks is not None
    pools = tuple(
        msgspec.structs.replace(pool, container="rocketmq-client-java", group=None)
        for pool in facts.stacks.pools
    )
    stacks = msgspec.structs.replace(facts.stacks, pools=pools)
    (found,) = findings(workers_saturated, msgspec.structs.replace(facts, stacks=stacks))
    assert "setConsumptionThreadCount" in words(found.remedy)
    assert "consumeThreadMin" not in words(found.remedy)


def test_a_slow_listener_that_keeps_up(reports: dict[str, Report]) -> None:
    assert reports["half-busy-5.2.0"].answer.state == "healthy"


@folded(
    "name, role, pool",
    [
        ("RocketmqMessageConsumption-3-12", "consume-worker", "RocketmqMessageConsumption-3"),
        ("RocketmqMessageConsumption-12", "consume-worker", "RocketmqMessageConsumption"),
        ("RocketmqClientCallbackWorker-0-7", "client-callback", "RocketmqClientCallbackWorker-0"),
        ("RocketmqClientAsyncWorker-0-3", "client-callback", "RocketmqClientAsyncWorker-0"),
        ("RocketmqClientScheduler-0-1", "client-scheduled", "RocketmqClientScheduler-0"),
    ],
)
def test_names(name: str, role: str, pool: str) -> None:
    found = role_of_name(name)
    assert (found.role, found.pool, found.group) == (role, pool, None)
