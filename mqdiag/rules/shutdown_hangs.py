"""A process that was asked to end does not end."""

from __future__ import annotations

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.logs import LogsFacts
from mqdiag.facts.shutdown import Shutdown
from mqdiag.facts.stacks import ThreadFacts
from mqdiag.findings import Confidence, Subject
from mqdiag.rules.rule import Draft, Findings, Limits, Rule

MOST_NAMED = 8

RULE = Rule("shutdown-hangs")


@RULE.sees("stacks")
def in_stacks(facts: Facts, limits: Limits) -> Findings:
    """One finding: for hooks that do not end, or for threads that are left when main has ended."""
    stacks = facts.stacks
    assert stacks is not None
    shutdown = stacks.shutdown
    if shutdown is None:
        yield from _left(stacks, facts.logs)
        return
    without_limit = any(hook.without_limit for hook in shutdown.hooks)
    limit = limits["seconds_without_limit" if without_limit else "seconds"]
    seconds = shutdown.seconds
    if _waits_for_itself(shutdown) or any(hook.left_alone for hook in shutdown.hooks):
        yield _hangs(stacks, shutdown)
    elif seconds is not None and seconds >= limit:
        if not any(hook.doing == "running" for hook in shutdown.hooks):
            yield _hangs(stacks, shutdown)
    elif seconds is None and shutdown.asked_again:
        yield _hangs(stacks, shutdown)
    elif seconds is not None:
        yield RULE.margin("taken", seconds * 1000, limit * 1000)


def _waits_for_itself(shutdown: Shutdown) -> bool:
    """The thread that called System.exit is what the hook waits for, or a hook calls System.exit itself."""
    return any(
        hook.exits
        or hook.waits_for == shutdown.thread
        or (shutdown.begun_by == "exit" and shutdown.in_listener and hook.waits_for_listeners)
        for hook in shutdown.hooks
    )


def _hangs(stacks: StacksFacts, shutdown: Shutdown) -> Draft:
    waiting = next((hook for hook in shutdown.hooks if hook.waits_for_listeners), None)
    hook = waiting or next(iter(shutdown.hooks), None)
    by_itself = _waits_for_itself(shutdown)
    alone = next((one for one in shutdown.hooks if one.left_alone), None)
    sure = by_itself or alone is not None or (shutdown.samples > 1 and hook is not None)
    name = "hook-waits" if waiting is None else "listener-does-not-end"
    if shutdown.asked_again:
        name = "asked-again"
    elif not shutdown.runs_hooks:
        name = "handler-waits"
    hook = alone or hook
    exits = next((one for one in shutdown.hooks if one.exits), None)
    if exits is not None:
        hook = exits
    if by_itself:
        name = "exit-waits-for-itself" if exits is None else "hook-exits"
    return RULE.case(
        name,
        subject=Subject(group=shutdown.group, thread=None if hook is None else hook.thread),
        evidence={
            "seconds": shutdown.seconds,
            "samples": stacks.samples,
            "exit_frame": shutdown.frame,
            "shutdown_hook": None if hook is None else hook.thread,
            "hook_frame": None if hook is None else hook.frame or hook.top,
            "shutdown_hooks": tuple(one.thread for one in shutdown.hooks),
            "threads": shutdown.listeners,
            "listeners": len(shutdown.listeners),
            "frame": shutdown.listener_frame,
        },
        words={
            "sure": sure,
            "alone": alone is not None,
            "by_signal": shutdown.begun_by == "signal",
            "by_last_thread": shutdown.begun_by == "last-thread",
            "by_exit": shutdown.begun_by == "exit",
        },
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
        age_ms=None if shutdown.seconds is None else shutdown.seconds * 1000,
    )


def _left(stacks: StacksFacts, logs: LogsFacts | None) -> Findings:
    """Main has ended, and what is left only waits for work that nobody gives."""
    living = [thread for thread in stacks.threads if thread.samples and thread.samples[-1].state != "ABSENT"]
    if not any(thread.name == "DestroyJavaVM" for thread in living):
        return
    keepers = [thread for thread in living if thread.daemon is False and thread.role != "jvm"]
    roles = {thread.role for thread in living}
    client_runs = not roles.isdisjoint(RULE.names("running_roles"))
    if (
        not keepers
        or (client_runs and roles.intersection(RULE.names("consumer_roles")))
        or any(role.startswith("broker-") for role in roles)
    ):
        return
    of_client = (
        [thread for thread in keepers if thread.role in RULE.names("client_roles")] if client_runs else []
    )
    own = [thread for thread in keepers if thread not in of_client]
    if any(thread.name in RULE.names("serves") for thread in own):
        return
    if any(thread.state != "idle" or thread.doing != "idle" for thread in own):
        return
    if own and of_client:
        return  # a producer that other threads may use
    was_shut_down = logs is not None and logs.count("group-shut-down") > 0
    if of_client:
        yield _kept_alive("client-not-shut-down", stacks, keepers)
    elif was_shut_down:
        yield _kept_alive("non-daemon-threads-after-shutdown", stacks, keepers, "logs")
    else:
        yield _kept_alive("non-daemon-threads", stacks, keepers)


def _kept_alive(name: str, stacks: StacksFacts, keepers: list[ThreadFacts], *also_seen_in: str) -> Draft:
    return RULE.case(
        name,
        stacks,
        evidence={
            "keepers": len(keepers),
            "threads": tuple(thread.name for thread in keepers[:MOST_NAMED]),
        },
        words={"more": len(keepers) > MOST_NAMED},
        seen_in=("stacks", *also_seen_in),
    )
