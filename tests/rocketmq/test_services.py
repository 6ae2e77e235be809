"""What runs beside the workers, in real dumps of healthy clients of all versions at hand."""

from __future__ import annotations

import pytest

from tests.layers import one_in, one_in_each_run
from tests.rocketmq.conftest import Case, case, case_names

FAULTY = "client-faults-4.9.2"


@pytest.fixture(params=one_in(3, [name for name in case_names() if name != FAULTY]))
def read(request: pytest.FixtureRequest) -> Case:
    return case(request.param)


@one_in_each_run(5)
def test_instances(read: Case) -> None:
    for instance in read.view.instances:
        assert instance.service_state == "RUNNING"
        assert instance.producer_groups == ("CLIENT_INNER_PRODUCER",)
        assert (instance.pull_thread, instance.pull_stopped) == ("alive", False)
        assert instance.client_version == read.truth["client_version"]
    known = {instance.object_id for instance in read.view.instances}
    assert {consumer.instance_id for consumer in read.view.consumers} == known


@one_in_each_run(5)
def test_services(read: Case) -> None:
    for consumer in read.view.consumers:
        assert consumer.registered
        concurrent = consumer.kind in ("push", "pop") and not consumer.orderly
        cleaned = concurrent and read.truth["client_version"] != "3.2.6"
        assert consumer.cleaner_tasks == (1 if cleaned else None)
        assert consumer.resubmits == (0 if concurrent else None)


@one_in_each_run(5)
def test_queues_of_subscribed_topics(read: Case) -> None:
    for consumer in read.view.consumers:
        assert len([topic for topic in consumer.topic_queues if not topic.startswith("%RETRY%")]) == 1
        ours = {row.topic for row in read.view.queues if row.group == consumer.group}
        assert ours <= set(consumer.topic_queues)
