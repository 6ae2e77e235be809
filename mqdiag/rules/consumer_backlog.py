"""A group is behind, and how its backlog lies over the queues."""

from __future__ import annotations

from collections import Counter

from mqdiag.facts import Facts
from mqdiag.facts.addresses import port_of
from mqdiag.facts.admin import ConnectedClient
from mqdiag.facts.backlogs import Backlog, backlogs
from mqdiag.facts.known import pid_in
from mqdiag.findings import Subject
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.text import Text

MOST_NAMED = 3
MOST_QUEUES_NAMED = 8

ASKED = "JAVA"
"""language of the clients that answer which queues they have (GET_CONSUMER_STATUS_FROM_CLIENT)"""

RULE = Rule("consumer-backlog")


@RULE.sees("admin")
def in_admin(facts: Facts, limits: Limits) -> Findings:
    """One finding for each group and topic."""
    admin = facts.admin
    assert admin is not None
    found = backlogs(admin, limits["blocked_ms"])
    large = [one for one in found if one.total >= limits["messages"] or (one.blocked and one.total > 0)]
    for backlog in large:
        yield _said(backlog, limits, _silent_clients(facts, backlog))
    if found and not large:
        largest = max(found, key=lambda one: one.total)
        yield RULE.margin(
            "backlog", largest.total, limits["messages"], group=largest.progress.group, topic=largest.topic
        )
    if not admin.groups and not admin.overview:
        yield RULE.skip("no-progress")


def _in_one_queue(backlog: Backlog, limits: Limits) -> bool:
    return len(backlog.queues) > 1 and backlog.share >= limits["one_queue_share"]


def _case(backlog: Backlog, limits: Limits, silent: tuple[ConnectedClient, ...]) -> str:
    if backlog.without_client:
        return "client-stands" if len(silent) == 1 else "queue-without-consumer"
    if backlog.blocked:
        return "stuck-message"
    if backlog.added is not None:
        return "group-stands"
    if _in_one_queue(backlog, limits):
        return "one-queue-behind"
    smallest = backlog.smallest_other
    if smallest is not None and smallest >= max(limits["messages"], limits["kept_up"]):
        return "all-groups-behind"
    if backlog.seconds is not None and backlog.seconds < limits["drain_seconds"]:
        return "slow-consumers-for-a-moment"
    return "slow-consumers"


def _silent_clients(facts: Facts, backlog: Backlog) -> tuple[ConnectedClient, ...]:
    """Clients of the group that are connected, while mqadmin shows no queue of theirs: they did not answer it.

    mqadmin asks each client for its queues, and shows of some versions the host alone. Empty where nobody answered.
    Clients of other languages cannot be asked.
    """
    assert facts.admin is not None
    group, owners = backlog.progress.group, {queue.client for queue in backlog.progress.queues} - {None}
    connected = [one for one in facts.admin.consumer_connections if one.group in (None, group) and one.clients]
    if not owners or not connected:
        return ()
    clients = connected[-1].clients
    hosts = Counter(_host(client.client_id) for client in clients)
    sockets = () if facts.services is None else facts.services.sockets
    captured = {f"{one.local}:{one.local_port}" for one in sockets}
    silent = {
        client.client_id: client
        for client in clients
        if client.client_id not in owners
        and client.language in (None, ASKED)
        and not (_host(client.client_id) in owners and hosts[_host(client.client_id)] == 1)
        and client.address not in captured
    }
    return tuple(silent.values())


def _host(client_id: str) -> str:
    return client_id.partition("@")[0]


def _said(backlog: Backlog, limits: Limits, silent: tuple[ConnectedClient, ...]) -> Draft:
    group, blocked, worst = backlog.progress.group, backlog.blocked, backlog.worst
    nobody, seconds, keep_up = (
        backlog.without_client,
        backlog.seconds,
        tuple(backlog.keep_up(limits["kept_up"])),
    )
    single = _in_one_queue(backlog, limits) or len(blocked) == 1
    queue = next((one for one in backlog.queues if blocked and one.queue_id == blocked[0].queue_id), worst)
    client = silent[0] if len(silent) == 1 else None
    return RULE.case(
        _case(backlog, limits, silent),
        subject=Subject(
            group=group,
            topic=backlog.topic,
            broker=queue.broker if single else None,
            queue_id=queue.queue_id if single else None,
        ),
        evidence={
            "diff_total": backlog.total,
            "queues_behind": sum(1 for one in backlog.queues if one.diff > 0),
            "queues": len(backlog.queues),
            "largest_diff": worst.diff,
            "largest_share": round(backlog.share, 4),
            "largest_diff_queue_id": worst.queue_id,
            "largest_diff_broker": worst.broker,
            "largest_diff_stored_at": worst.last_time,
            "consume_tps": backlog.progress.consume_tps,
            "drain_seconds": None if seconds is None else round(seconds),
            "blocked_ms": max((one.blocked_ms for one in blocked), default=None),
            "blocked_queue_ids": tuple(one.queue_id for one in blocked[:MOST_NAMED]),
            "blocked_queues_ms": tuple(one.blocked_ms for one in blocked[:MOST_NAMED]),
            "added_meanwhile": backlog.added,
            "queues_without_client": len(nobody),
            "queue_ids_without_client": tuple(queue.queue_id for queue in nobody[:MOST_QUEUES_NAMED]),
            "groups_that_keep_up": keep_up,
            "silent_client": None if client is None else client.client_id,
        },
        words={
            "single": single,
            "client_pid": None if client is None else pid_in(client.client_id),
            "client_host": None
            if client is None or not client.address
            else client.address.rpartition(":")[0] or None,
            "client_port": None if client is None or not client.address else port_of(client.address),
            "who": RULE.word("named", group=group) if group else RULE.word("nameless"),
            "keepers": _keepers(keep_up),
            "all_without_client_named": len(nobody) <= MOST_QUEUES_NAMED,
            "flows": not blocked and not nobody and backlog.added is None,
        },
        rows={
            "blocked": tuple(
                {"client": one.client, "queue_id": one.queue_id, "blocked_ms": one.blocked_ms}
                for one in blocked[:MOST_NAMED]
            )
        },
    )


def _keepers(groups: tuple[str, ...]) -> Text | None:
    if not groups:
        return None
    if len(groups) == 1:
        return RULE.word("one_keeps_up", group=groups[0])
    return RULE.word("several_keep_up", groups=groups[:MOST_NAMED])
