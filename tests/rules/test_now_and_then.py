"""What a finding says to do now and then: the ways to say it, what the evidence fills in, what is left out."""

from __future__ import annotations

import msgspec

from mqdiag.facts import Facts, Input, StacksFacts
from mqdiag.facts.admin import AdminFacts, BrokerListed
from mqdiag.facts.processes import ProcessFacts
from mqdiag.findings import Action, Subject
from mqdiag.language import english
from mqdiag.rules.engine import run_rules
from tests.rules.examples.consumer import example
from tests.rules.made import made_rule

POD = "/var/log/pods/shop_orders-7d9f_0c5b8a3e-1f2d-4c6b-9a8e-7f6d5c4b3a21/app/0.log"
CLUSTER = AdminFacts(
    brokers=(
        BrokerListed(source="x", cluster="east", broker="broker-a", broker_id=0, address="10.0.0.2:10911"),
    )
)


def actions(facts: Facts, now: list[object], **words: object) -> list[Action]:
    rule = made_rule("acted-upon", now=now, actions=["Change it."])
    rule.sees("heap")(
        lambda facts, limits: iter([rule.case("one", subject=Subject(), words=words)])  # type: ignore[arg-type]
    )
    outcome = run_rules([rule], facts)
    assert not outcome.failed, outcome.failed
    (found,) = outcome.findings
    assert [english()(one.text) for one in found.then] == ["Change it."]
    return list(found.now)


def written(found: list[Action]) -> list[tuple[str, str, str]]:
    write = english()
    return [(write(one.text), write(one.command), write(one.risk)) for one in found]


RESTART = {"use": "restart"}
WAYS = {
    "say": "Ask.",
    "command": ["ask {whom}", "ask -n {name_server:arg NAMESRV:9876} -c {cluster:arg CLUSTER}"],
    "risk": ["{lost:count} are lost", "some are lost"],
}


def test_the_first_way_whose_values_are_known_is_taken() -> None:
    (known,) = written(actions(example(), [WAYS], whom="him", lost=3))
    assert known == ("Ask.", "ask him", "3 are lost")
    (unknown,) = written(actions(example(), [WAYS], whom=None, lost=None))
    assert unknown == (
        "Ask. NAMESRV is the host of a name server, as namesrvAddr in broker.conf has it.",
        "ask -n NAMESRV:9876 -c CLUSTER",
        "some are lost",
    )
    once, again = written(actions(example(), [WAYS, WAYS], whom=None, lost=None))
    assert "NAMESRV" in once[0]
    assert "NAMESRV" not in again[0]


def test_what_other_evidence_of_the_run_tells_is_filled_in() -> None:
    facts = msgspec.structs.replace(
        example(consumer={"config": {"namesrvAddr": "10.0.0.3:9876"}}), admin=CLUSTER, pid=4711
    )
    (asked, _, restarted) = written(actions(facts, [WAYS, RESTART], whom=None, lost=None))
    assert asked[1] == "ask -n 10.0.0.3:9876 -c east"
    assert restarted[1] == "kill 4711"


def test_a_process_in_a_pod_is_restarted_there() -> None:
    facts = msgspec.structs.replace(example(), inputs=(Input(path=POD, kind="log"),))
    (_, (_, command, _)) = written(actions(facts, [RESTART]))
    assert command == "kubectl delete pod -n shop orders-7d9f"


def test_evidence_is_kept_before_a_process_ends() -> None:
    """A restart destroys what its threads show, and thread dumps that are there show it."""
    facts = msgspec.structs.replace(example(), pid=4711)
    first, second = (command for _, command, _ in written(actions(facts, [RESTART])))
    assert (first, second) == ("mqdiag capture 4711", "kill 4711")
    own = {"say": "Look.", "command": "jcmd {pid:arg PID} Thread.print -l"}
    assert [command for _, command, _ in written(actions(facts, [own, RESTART, RESTART]))] == [
        "jcmd 4711 Thread.print -l",
        "kill 4711",
        "kill 4711",
    ]
    seen = msgspec.structs.replace(facts, stacks=StacksFacts(samples=5, threads=()))
    assert [command for _, command, _ in written(actions(seen, [RESTART]))] == ["kill 4711"]


def test_a_restart_tells_how_many_finished_messages_come_again() -> None:
    facts = example()
    assert facts.heap is not None
    queues = tuple(msgspec.structs.replace(one, finished_beyond_head=2364) for one in facts.heap.queues[:1])
    (_, (_, _, risk)) = written(
        actions(
            msgspec.structs.replace(facts, heap=msgspec.structs.replace(facts.heap, queues=queues)), [RESTART]
        )
    )
    assert risk == "2,364 finished messages are delivered again, and so are those in hand"


def test_a_group_that_the_finding_does_not_name_is_the_only_one_of_the_run() -> None:
    command = {"say": "Look.", "command": "mqadmin consumerProgress -g {group:arg GROUP} -t {topic:arg TOPIC}"}
    facts = example()
    assert facts.heap is not None
    (consumer,) = facts.heap.consumers
    ((_, one, _),) = written(actions(facts, [command]))
    assert f"-g {consumer.group} " in one
    two = msgspec.structs.replace(
        facts.heap, consumers=(consumer, msgspec.structs.replace(consumer, group="CID_other"))
    )
    ((_, several, _),) = written(actions(msgspec.structs.replace(facts, heap=two), [command]))
    assert "-g GROUP " in several


def test_an_action_for_one_library_stands_where_the_finding_names_it() -> None:
    assert written(actions(example(), [{"use": "other_side"}], library="Jedis"))[0][1].startswith("redis-cli")
    assert actions(example(), [{"use": "other_side"}], library="OkHttp") == []


def test_shared_actions_may_have_words_of_the_card() -> None:
    (_, (text, command, _)) = written(actions(example(), [{"use": "restart", "say": "Begin anew."}]))
    assert text == "Begin anew. The command ends it: start it again, unless systemd or Kubernetes does."
    assert command == "kill PID"


def test_the_remedy_is_all_of_them_with_command_and_price() -> None:
    ((text,),) = [[english()(one.in_a_line) for one in actions(example(), [WAYS], whom="him", lost=3)]]
    assert text == "Ask. Run `ask him`. The price: 3 are lost."


def test_an_action_names_the_host_of_its_process_and_the_broker() -> None:
    shop = ProcessFacts(name="pid 4711 on shop-1", pid=4711, settings={"sun.net.inetaddr.ttl": "0"})
    facts = msgspec.structs.replace(example(), pid=4711, host=shop.host, processes=(shop,), admin=CLUSTER)
    (_, restarted) = written(
        actions(facts, [{"use": "restart", "first_of": ["It keeps {names_ttl} s.", "Try."]}])
    )
    assert restarted[:2] == (
        "It keeps 0 s. The command ends it on shop-1: start it there again, unless systemd or Kubernetes does.",
        "kill 4711",
    )
    (stopped,) = written(actions(facts, [{"use": "restart_broker"}]))
    assert stopped[0].endswith("The broker is at 10.0.0.2:10911.")
    (_, unknown) = written(
        actions(example(), [{"use": "restart", "first_of": ["It keeps {names_ttl} s.", "Try."]}])
    )
    assert unknown[0] == "Try. The command ends it: start it again, unless systemd or Kubernetes does."
