"""Commands in remedies hold the names that the evidence has, and can be copied into a shell."""

from __future__ import annotations

import re
from types import ModuleType

import msgspec

from mqdiag.facts import Facts
from mqdiag.facts.addresses import addresses
from mqdiag.facts.logs import LogsFacts
from mqdiag.facts.offset_logs import OffsetReset
from mqdiag.facts.processes import ProcessFacts
from mqdiag.language import english
from mqdiag.rules import deadlock, offset_reset_to_zero, stuck_socket_read
from mqdiag.rules.catalogue import cards_of
from mqdiag.rules.discovery import all_rules
from mqdiag.rules.rule import Rule
from tests.folded import folded
from tests.rules.checks import findings
from tests.rules.examples import example_of
from tests.rules.examples.consumer import example

PLACEHOLDERS = {"GROUP": "group", "TOPIC": "topic"}
RESET = OffsetReset(
    group="CID_wash",
    topic="segments",
    requested=500,
    given=0,
    broker_max=75,
    sides=("broker",),
    first="2026-11-21T20:00:01+08:00",
    last="2026-11-21T20:00:09+08:00",
)


def remedy(module: ModuleType, facts: Facts) -> str:
    (finding,) = findings(module, facts)
    return " ".join(map(english(), finding.remedy))


def reset(**changes: object) -> Facts:
    changed = msgspec.structs.replace(RESET, **changes)
    return msgspec.structs.replace(
        example(consumer={"config": {"namesrvAddr": "10.0.0.3:9876;10.0.0.4:9876"}}),
        logs=LogsFacts(offset_resets=(changed,)),
    )


@folded("rule", all_rules(), lambda rule: rule.name)
def test_no_placeholder_stands_for_a_name_that_the_finding_has(rule: Rule) -> None:
    for finding in findings(rule, example_of(rule).fires()):
        for line in map(english(), finding.remedy):
            for word, field in PLACEHOLDERS.items():
                assert getattr(finding.subject, field) is None or not re.search(rf"\b{word}\b", line), line


def test_a_command_has_group_topic_time_and_name_servers() -> None:
    assert (
        "mqadmin resetOffsetByTime -n '10.0.0.3:9876;10.0.0.4:9876' -g CID_wash -t segments -s 1795262401000`"
    ) in remedy(offset_reset_to_zero, reset())


def test_a_name_is_one_argument_of_the_shell() -> None:
    assert "-g '$(reboot) `id`' -t segments" in remedy(offset_reset_to_zero, reset(group="$(reboot) `id`"))


def test_a_placeholder_stands_for_what_the_evidence_does_not_tell() -> None:
    unknown = Facts(logs=LogsFacts(offset_resets=(msgspec.structs.replace(RESET, topic=None, first=None),)))
    assert "-n NAMESRV:9876 -g CID_wash -t TOPIC -s TIMESTAMP`" in remedy(offset_reset_to_zero, unknown)


def test_a_time_without_a_zone_is_that_of_the_host_where_mqadmin_runs() -> None:
    local = msgspec.structs.replace(RESET, first="2026-11-21T20:00:01.250")
    assert "-s 2026-11-21#20:00:01:250`" in remedy(
        offset_reset_to_zero, Facts(logs=LogsFacts(offset_resets=(local,)))
    )


def test_a_command_has_the_pid_where_the_finding_is_of_that_process_alone() -> None:
    fires = example_of(stuck_socket_read.RULE).fires()
    assert "grep pid=PID,`" in remedy(stuck_socket_read, fires)
    assert "grep pid=4711,`" in remedy(stuck_socket_read, msgspec.structs.replace(fires, pid=4711))


def test_a_card_knows_no_names() -> None:
    card = " ".join(english()(action.in_a_line) for action in cards_of({"no-route"})["no-route"].now)
    assert "mqadmin updateTopic -n NAMESRV:9876 -c CLUSTER -t TOPIC`." in card


def test_a_brokers_own_log_tells_the_addresses_of_its_commands() -> None:
    printed = {
        "brokerName": "broker-a",
        "brokerIP1": "10.0.0.8",
        "listenPort": "10911",
        "namesrvAddr": "10.0.0.9:9876",
        "brokerRole": "ASYNC_MASTER",
    }
    known = addresses(None, LogsFacts(settings=printed), None)
    assert (known.name_server, known.brokers) == ("10.0.0.9:9876", {"broker-a": "10.0.0.8:10911"})
    slave = addresses(None, LogsFacts(settings={**printed, "brokerRole": "SLAVE"}), None)
    assert slave.brokers == {}


def test_nothing_asks_for_the_capture_that_is_there() -> None:
    fires = msgspec.structs.replace(example_of(deadlock.RULE).fires(), pid=4711)
    assert "mqdiag capture 4711`" in remedy(deadlock, fires)
    own = ProcessFacts(name="pid 4711", pid=4711, main_class="com.acme.shop.Main", stacks=fires.stacks)
    captured = msgspec.structs.replace(fires, processes=(own,))
    assert "mqdiag capture" not in remedy(deadlock, captured)
    assert "kill 4711`" in remedy(deadlock, captured)
