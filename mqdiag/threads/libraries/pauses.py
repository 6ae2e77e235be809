"""Libraries that make their callers wait on purpose: rate limiters, bulkheads and the back-off between two attempts."""

from __future__ import annotations

from mqdiag.facts.vocabulary import StandstillCause
from mqdiag.text import say
from mqdiag.threads.libraries.library import Library

PAUSE: StandstillCause = "sleep-in-listener"
TRY_ACQUIRE = say(
    "Raise the permits of RateLimiter.create, or use tryAcquire(timeout, unit) and return RECONSUME_LATER:"
    " acquire() waits as long as it takes, also behind callers that took many permits before."
)
FEWER_ATTEMPTS = say(
    "Set maxAttempts (3 by default) and the back-off (@Backoff(delay, maxDelay), setMaxInterval) of Spring"
    " Retry so that all attempts together take less than consumeTimeout; or return RECONSUME_LATER after"
    " the first failure, which frees the thread."
)

PAUSES: tuple[Library, ...] = (
    # Thread.sleep < Uninterruptibles.sleepUninterruptibly < RateLimiter$SleepingStopwatch$1: google/guava
    Library(
        cause=PAUSE,
        name="Guava RateLimiter",
        frames=(
            "com.google.common.util.concurrent.RateLimiter",
            "com.google.common.util.concurrent.SmoothRateLimiter",
        ),
        remedy=(TRY_ACQUIRE,),
        kind="pause",
    ),
    # LockSupport.parkNanos < AtomicRateLimiter.waitForPermission, SemaphoreBulkhead.tryEnterBulkhead:
    # resilience4j/resilience4j
    Library(
        cause=PAUSE,
        name="Resilience4j",
        frames=("io.github.resilience4j.",),
        remedy=(
            say(
                "Set timeoutDuration and limitForPeriod of the RateLimiter (5 s by default), maxWaitDuration of the"
                " Bulkhead, and maxAttempts and waitDuration of the Retry of Resilience4j."
            ),
        ),
        kind="pause",
    ),
    # Thread.sleep < ThreadWaitSleeper.sleep < RetryTemplate.doExecute: spring-projects/spring-retry
    Library(
        cause=PAUSE,
        name="Spring Retry",
        frames=("org.springframework.retry.", "org.springframework.core.retry."),
        remedy=(FEWER_ATTEMPTS,),
        kind="pause",
    ),
    # Thread.sleep < com.alibaba.csp.sentinel.slots.block.flow.controller.RateLimiterController.canPass:
    # alibaba/Sentinel
    Library(
        cause=PAUSE,
        name="Sentinel",
        frames=("com.alibaba.csp.sentinel.slots.block.flow.",),
        remedy=(
            say(
                "Set maxQueueingTimeMs (500 by default) or count of the FlowRule: with the control behaviour"
                " RateLimiter, Sentinel makes callers wait in a queue."
            ),
        ),
        kind="pause",
    ),
    # Thread.sleep < com.github.rholder.retry.BlockStrategies$ThreadSleepStrategy.block: rholder/guava-retrying
    Library(
        cause=PAUSE,
        name="guava-retrying",
        frames=("com.github.rholder.retry.",),
        remedy=(
            say("Set withStopStrategy (never stops by default) and a shorter withWaitStrategy of the Retryer."),
        ),
        kind="pause",
    ),
    # Thread.sleep < dev.failsafe.SyncExecutionImpl.executeSync: failsafe-lib/failsafe
    Library(
        cause=PAUSE,
        name="Failsafe",
        frames=("dev.failsafe.", "net.jodah.failsafe."),
        remedy=(
            say(
                "Set withMaxDuration, withMaxRetries and withBackoff of the RetryPolicy, and maxWaitTime of a limiter."
            ),
        ),
        kind="pause",
    ),
    # LockSupport.parkNanos < io.github.bucket4j.BlockingStrategy: bucket4j/bucket4j
    Library(
        cause=PAUSE,
        name="Bucket4j",
        frames=("io.github.bucket4j.",),
        remedy=(say("Use tryConsume(tokens, maxWait) of Bucket4j instead of consume(tokens)."),),
        kind="pause",
    ),
)
