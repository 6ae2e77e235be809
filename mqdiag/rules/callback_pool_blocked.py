"""The threads that run pull and send callbacks all hang in user code."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.stacks import Standstill
from mqdiag.findings import Severity
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.pulling import blocked_callback_pools
from mqdiag.rules.shared.standstill import LIMITS, draft, example, short_frame, who
from mqdiag.text import Text, say

RULE = Rule(
    name="callback-pool-blocked",
    title="All callback threads of the client hang in user code",
    why=(
        "NettyClientPublicExecutor runs the callbacks of asynchronous sends and of pulls. A SendCallback that blocks"
        " keeps one of its few threads. When all of them hang, no pull is answered any more, and every consumer of the"
        " JVM stops though its consume threads are idle. In the gRPC client RocketmqClientCallbackWorker completes the"
        " futures of sendAsync, receiveAsync and ackAsync, and their stages run there."
    ),
    causes=("callback-pool-blocked",),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Do nothing in onSuccess and onException, or in a stage of a future, that can block: hand the work to a pool of"
        " your own.",
        "setClientCallbackExecutorThreads raises the number of threads (default: processors); it only buys time.",
    ),
    references=("ROCKETMQ-323", "NettyRemotingClient: publicExecutor"),
    limits=LIMITS,
    in_chain=say("no answer to a pull is handled any more"),
)


GRPC_POOLS = ("RocketmqClientCallbackWorker", "RocketmqClientAsyncWorker")
"""pools of the gRPC client, which has no setting for their size"""

HUNG = Standstill(
    kind="socket-read",
    cause="missing-http-timeout",
    threads=("NettyClientPublicExecutor_1", "NettyClientPublicExecutor_2"),
    role="client-callback",
    pool="NettyClientPublicExecutor",
    pool_size=2,
    frame="com.acme.orders.Audit.onSuccess(Audit.java:20)",
    samples=5,
    seconds=10.4,
    cpu_growth_ms=0.0,
    confidence="high",
    remedy=(say("Set a read timeout."),),
)


def fires() -> Facts:
    """Both callback threads in the same HTTP call."""
    return example(HUNG)


def silent() -> Facts:
    """One of two is free: pulls go on."""
    return example(
        Standstill(
            kind="socket-read",
            cause="slow-remote",
            threads=HUNG.threads[:1],
            role=HUNG.role,
            pool=HUNG.pool,
            pool_size=2,
        )
    )


@RULE.sees("stacks")
def in_stacks(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for the pool when none of its threads is free."""
    stacks = facts.stacks
    assert stacks is not None
    for members in blocked_callback_pools(stacks):
        names = tuple(name for still in members for name in still.threads)
        largest = max(members, key=lambda still: len(still.threads))
        found = draft(
            largest,
            limits,
            cause="callback-pool-blocked",
            title=say(
                "{who} {thread_count:hangs|hang} in user code at {frame}: {consequence}",
                who=who(largest),
                frame=short_frame(largest.frame),
                consequence=say("answers to its calls are not handled")
                if (largest.pool or "").startswith(GRPC_POOLS)
                else say("pulls are not answered"),
            ),
        )
        yield Draft(
            severity=found.severity,
            cause=found.cause,
            confidence=found.confidence,
            confidence_reason=found.confidence_reason,
            title=found.title,
            # every group of the JVM is hit, so no group is named
            evidence={**found.evidence, "threads": names},
            explanation=found.explanation,
            remedy=(*_remedy(largest), *found.remedy),
            weight=float(len(names)),
        )


def _remedy(still: Standstill) -> tuple[Text, ...]:
    """What helps; no setting of the gRPC client does."""
    return RULE.remedy[:1] if (still.pool or "").startswith(GRPC_POOLS) else RULE.remedy
