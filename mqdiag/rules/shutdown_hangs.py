"""A process that was asked to end does not end."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.logs import LogsFacts
from mqdiag.facts.stacks import Shutdown, ShutdownHook, ThreadFacts
from mqdiag.findings import Confidence, EvidenceValue, Margin, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.log_events import events
from mqdiag.text import Text, say

LISTENER, HOOK, ITSELF = "listener-does-not-end", "hook-waits", "exit-waits-for-itself"
THREADS, CLIENT = "non-daemon-threads", "client-not-shut-down"
DESTROY = "DestroyJavaVM"
CLIENT_ROLES = frozenset(
    {
        "pull-service",
        "pull-scheduled",
        "rebalance-service",
        "client-callback",
        "client-netty",
        "client-scan",
        "client-scheduled",
        "producer-async",
        "trace",
    }
)
"""threads that every client of RocketMQ has, producers too"""
CONSUMER_ROLES = frozenset({"consume-worker", "consume-scheduled", "expiry-cleaner", "lite-pull"})
RUNNING_ROLES = frozenset({"pull-service", "rebalance-service"})
"""threads of a client that was not shut down; older clients leave others behind"""
MOST_NAMED = 8

RULE = Rule(
    name="shutdown-hangs",
    title="A process that was asked to end does not end",
    why=(
        "The JVM ends when all its shutdown hooks have ended. consumer.shutdown() in a hook waits for listeners at"
        " work, up to awaitTerminationMillisWhenShutdown. A hook that waits for a thread that itself called"
        " System.exit waits for ever. Without System.exit or a signal, the JVM ends when no thread is left but daemon"
        " threads: a pool that nobody shut down keeps it alive. In the end docker or Kubernetes kills such a process,"
        " and messages in hand come again."
    ),
    causes=(LISTENER, HOOK, ITSELF, THREADS, CLIENT),
    severities=(Severity.WARNING, Severity.INFO),
    remedy=(
        "Give every call in a listener a timeout, so that shutdown() can wait for it.",
        "Give every wait in a shutdown hook a timeout. Never call System.exit in a listener or in a hook.",
        "Shut pools and timers of the application down, or make their threads daemons.",
        "Call shutdown() on every producer and consumer when the program is done.",
    ),
    references=(
        "java.lang.ApplicationShutdownHooks.runHooks",
        "DefaultMQPushConsumer.setAwaitTerminationMillisWhenShutdown, ThreadUtils.shutdownGracefully",
        "java.lang.Thread.setDaemon",
    ),
    # docker stop gives a process ten seconds
    limits={"seconds": 10},
    explained_by=(
        "stuck-socket-read",
        "stuck-wait",
        "sleeping-listener",
        "cpu-bound-listener",
        "lock-convoy",
        "deadlock",
        "connection-pool-exhausted",
    ),
    of_process=True,
    lies_at="any",
    in_chain=say("the process does not end"),
)

REMEDIES = {
    LISTENER: (
        say("Give the call that the listener waits in a timeout below the time that the process has to end."),
        say(
            "Set awaitTerminationMillisWhenShutdown to less than docker stop -t or terminationGracePeriodSeconds."
        ),
        say("To end it now: kill -9 PID. The messages in hand are delivered again."),
    ),
    HOOK: (
        say("Give the wait in the hook a timeout."),
        say(
            "Shutdown hooks run at the same time and in no order: a hook must not wait for what another one stops."
        ),
        say("To end it now: kill -9 PID."),
    ),
    ITSELF: (
        say(
            "Do not call System.exit in a listener: throw an exception, or let another thread call it and return from"
            " the listener."
        ),
        say("To end it now: kill -9 PID."),
    ),
    THREADS: (
        say("Call shutdown() on the pools and cancel() on the timers that these threads belong to."),
        say("Or make their threads daemons, or end main with System.exit(0)."),
    ),
    CLIENT: (
        say("Call shutdown() on the producer before main returns."),
        say("Or end main with System.exit(0)."),
    ),
}


def _facts(seconds: float) -> Facts:
    shutdown = Shutdown(
        begun_by="signal",
        thread="SIGTERM handler",
        samples=3,
        seconds=seconds,
        hooks=(
            ShutdownHook(
                thread="order-service-shutdown",
                top="jdk.internal.misc.Unsafe.park",
                doing="latch",
                waits_for_listeners=True,
            ),
        ),
        listeners=("ConsumeMessageThread_CID_orders_1",),
        listener_frame="com.acme.orders.OrderListener.reserve(OrderListener.java:31)",
        group="CID_orders",
    )
    return Facts(stacks=StacksFacts(samples=3, seconds=8.0, judged=True, shutdown=shutdown))


def fires() -> Facts:
    """A hook has waited for a listener for 20 seconds."""
    return _facts(20.3)


def silent() -> Facts:
    """It has waited for four seconds."""
    return _facts(3.9)


@RULE.sees("stacks")
def in_stacks(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding: for hooks that do not end, or for threads that are left when main has ended."""
    stacks = facts.stacks
    assert stacks is not None
    shutdown = stacks.shutdown
    if shutdown is None:
        yield from _left(stacks, facts.logs)
    elif (seconds := shutdown.seconds) is not None and seconds >= limits["seconds"]:
        if not any(hook.doing == "running" for hook in shutdown.hooks):
            yield _hangs(stacks, shutdown)
    elif _waits_for_itself(shutdown):
        yield _hangs(stacks, shutdown)
    elif seconds is not None:
        label = say("time that the shutdown has taken so far")
        yield Margin(rule="", label=label, value=seconds * 1000, limit=limits["seconds"] * 1000, kind="ms")


def _waits_for_itself(shutdown: Shutdown) -> bool:
    """The thread that called System.exit is what the hook waits for, or a hook calls System.exit itself."""
    waits = any(hook.waits_for_listeners for hook in shutdown.hooks)
    return (shutdown.begun_by == "exit" and shutdown.in_listener and waits) or any(
        hook.exits for hook in shutdown.hooks
    )


def _cause(shutdown: Shutdown) -> str:
    if _waits_for_itself(shutdown):
        return ITSELF
    if any(hook.waits_for_listeners for hook in shutdown.hooks):
        return LISTENER
    return HOOK


def _hangs(stacks: StacksFacts, shutdown: Shutdown) -> Draft:
    cause = _cause(shutdown)
    hook = next((hook for hook in shutdown.hooks if hook.waits_for_listeners), None) or next(
        iter(shutdown.hooks), None
    )
    sure = cause == ITSELF or (shutdown.samples > 1 and hook is not None)
    values: dict[str, EvidenceValue] = {
        "seconds": shutdown.seconds,
        "samples": stacks.samples,
        "exit_frame": shutdown.frame,
        "shutdown_hook": None if hook is None else hook.thread,
        "hook_frame": None if hook is None else hook.frame or hook.top,
        "shutdown_hooks": tuple(one.thread for one in shutdown.hooks),
        "threads": shutdown.listeners,
        "listeners": len(shutdown.listeners),
        "frame": shutdown.listener_frame,
    }
    return Draft(
        severity=Severity.WARNING,
        cause=cause,
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
        confidence_reason=say("the stacks show who waits for whom")
        if sure
        else say("the samples do not tell whether the hook still gets on"),
        title=_title(cause, shutdown, hook),
        subject=Subject(group=shutdown.group, thread=None if hook is None else hook.thread),
        evidence={name: value for name, value in values.items() if value is not None},
        explanation=tuple(_explained(cause, shutdown, hook)),
        remedy=REMEDIES[cause],
        weight=0.5,
        age_ms=None if shutdown.seconds is None else shutdown.seconds * 1000,
    )


def _title(cause: str, shutdown: Shutdown, hook: ShutdownHook | None) -> Text:
    if cause == ITSELF:
        return (
            say("The JVM cannot end: {exit_frame} called System.exit, and a shutdown hook waits for its thread")
            if shutdown.frame is not None
            else say("The JVM cannot end: a shutdown hook waits for the thread that called System.exit")
        )
    if cause == LISTENER:
        return say(
            "The JVM has not ended for {seconds:seconds}: a shutdown hook waits for the consumer's listeners"
        )
    if hook is not None:
        return say("The JVM has not ended for {seconds:seconds}: shutdown hook {shutdown_hook} waits")
    return say("The JVM has not ended for {seconds:seconds}: a shutdown hook waits")


def _explained(cause: str, shutdown: Shutdown, hook: ShutdownHook | None) -> Iterator[Text]:
    if shutdown.begun_by == "signal":
        yield say("A signal asked the JVM to end.")
    elif shutdown.begun_by == "last-thread":
        yield say("The last thread that kept the JVM alive has ended.")
    elif shutdown.frame is not None:
        yield say("{exit_frame} called System.exit.")
    if hook is not None:
        yield say("Shutdown hook {shutdown_hook} is in {hook_frame}.")
    if cause == LISTENER and shutdown.listeners:
        yield (
            say("It waits for {listeners:count} {listeners:thread|threads} with a message in hand.")
            if shutdown.listener_frame is None
            else say(
                "It waits for {listeners:count} {listeners:thread|threads} with a message in hand, the first of them in"
                " {frame}."
            )
        )


def _left(stacks: StacksFacts, logs: LogsFacts | None) -> Iterator[Said]:
    """Main has ended, and what is left only waits for work that nobody gives."""
    living = [thread for thread in stacks.threads if thread.samples and thread.samples[-1].state != "ABSENT"]
    if not any(thread.name == DESTROY for thread in living):
        return
    keepers = [thread for thread in living if thread.daemon is False and thread.role != "jvm"]
    roles = {thread.role for thread in living}
    client_runs = not roles.isdisjoint(RUNNING_ROLES)
    if (
        not keepers
        or (client_runs and roles & CONSUMER_ROLES)
        or any(role.startswith("broker-") for role in roles)
    ):
        return
    of_client = [thread for thread in keepers if thread.role in CLIENT_ROLES] if client_runs else []
    own = [thread for thread in keepers if thread not in of_client]
    if any(thread.state != "idle" or thread.doing != "idle" for thread in own):
        return
    if own and of_client:
        return  # a producer that other threads may use
    yield _kept_alive(stacks, keepers, CLIENT if of_client else THREADS, was_shut_down=_shut_down(logs))


def _shut_down(logs: LogsFacts | None) -> bool:
    return logs is not None and bool(events(logs, "group-shut-down"))


def _kept_alive(stacks: StacksFacts, keepers: list[ThreadFacts], cause: str, *, was_shut_down: bool) -> Draft:
    ended = cause == THREADS and was_shut_down
    return Draft(
        severity=Severity.WARNING if ended else Severity.INFO,
        cause=cause,
        confidence=Confidence.MEDIUM if ended else Confidence.LOW,
        confidence_reason=say("the log says that the client was shut down; the application may want to live on")
        if ended
        else say("a program that waits for its next task looks the same"),
        title=say(
            "main has ended, and {keepers:count} {keepers:thread that waits keeps|threads that wait keep} the JVM alive"
        )
        if cause == THREADS
        else say("main has ended, and the threads of a RocketMQ producer keep the JVM alive"),
        evidence={
            "keepers": len(keepers),
            "threads": tuple(thread.name for thread in keepers[:MOST_NAMED]),
            "samples": stacks.samples,
        },
        explanation=(
            say("The thread DestroyJavaVM shows that main has ended."),
            say("These are no daemon threads, and all of them wait for work: {threads}.")
            if len(keepers) <= MOST_NAMED
            else say("These are no daemon threads, and all of them wait for work; the first are {threads}."),
        ),
        remedy=REMEDIES[cause],
        seen_in=("stacks", "logs") if ended else ("stacks",),
    )
