"""What commands of mqadmin need, from whatever evidence tells it."""

from __future__ import annotations

from mqdiag.facts.addresses import Addresses, addresses
from mqdiag.facts.admin import AdminFacts, BrokerConfig, BrokerListed
from mqdiag.facts.logs import BrokerLogs, LogsFacts


def listed(broker: str, address: str, broker_id: int = 0, cluster: str = "orders") -> BrokerListed:
    return BrokerListed(source="list.txt", cluster=cluster, broker=broker, broker_id=broker_id, address=address)


def test_a_list_of_brokers_tells_the_cluster_and_the_masters() -> None:
    admin = AdminFacts(brokers=(listed("a", "10.0.0.1:10911"), listed("a", "10.0.0.2:10911", broker_id=1)))
    told = addresses(None, None, admin)
    assert (told.cluster, told.brokers, told.name_server) == ("orders", {"a": "10.0.0.1:10911"}, None)


def test_settings_and_senders_tell_it_too() -> None:
    config = BrokerConfig(source="config.txt", settings={"namesrvAddr": "ns:9876", "brokerClusterName": "c"})
    logs = LogsFacts(
        settings={"brokerClusterName": "c"}, brokers=(BrokerLogs(name="b", address="10.0.0.3:10911"),)
    )
    told = addresses(None, logs, AdminFacts(broker_configs=(config,)))
    assert told == Addresses("ns:9876", "c", {"b": "10.0.0.3:10911"})


def test_what_is_told_in_two_ways_is_not_known() -> None:
    logs = LogsFacts(settings={"brokerClusterName": "c, d", "namesrvAddr": "x:1, y:1"})
    two = AdminFacts(
        brokers=(listed("a", "10.0.0.1:10911", cluster="one"), listed("a", "10.0.0.9:10911", cluster="two"))
    )
    assert addresses(None, logs, None) == addresses(None, None, two) == Addresses(None, None, {})


def test_a_slaves_log_tells_no_master() -> None:
    slave = BrokerLogs(name="b", address="10.0.0.4:10911", settings={"brokerRole": "SLAVE"})
    assert addresses(None, LogsFacts(brokers=(slave,)), None).brokers == {}
    master = BrokerLogs(name="b", address="10.0.0.3:10911", settings={"brokerRole": "ASYNC_MASTER"})
    assert addresses(None, LogsFacts(brokers=(master, slave)), None).brokers == {"b": "10.0.0.3:10911"}
