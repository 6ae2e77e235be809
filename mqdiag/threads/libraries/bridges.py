"""Bridges that wait in one thread for what asynchronous code does on others."""

from __future__ import annotations

from mqdiag.text import say
from mqdiag.threads.libraries.library import Library

BRIDGES: tuple[Library, ...] = (
    Library(
        cause="missing-timeout",
        name="Reactor",
        frames=(
            "reactor.core.publisher.Mono.block",
            "reactor.core.publisher.Flux.block",
            "reactor.core.publisher.BlockingMonoSubscriber",
            "reactor.core.publisher.BlockingSingleSubscriber",
        ),
        remedy=(
            say(
                "Use block(Duration), and HttpClient.responseTimeout (none by default) of Reactor Netty under"
                " WebClient."
            ),
        ),
        kind="bridge",
    ),
    # BlockingMultiObserver.blockingGet, BlockingFirstObserver: ReactiveX/RxJava
    Library(
        cause="missing-timeout",
        name="RxJava",
        frames=(
            "io.reactivex.",
            "rx.observables.BlockingObservable.",
            "rx.Single.",
            "rx.internal.util.BlockingUtils.",
        ),
        remedy=(
            say("Put timeout(time, unit) into the chain before blockingGet, blockingFirst and blockingAwait."),
        ),
        kind="bridge",
    ),
    # CountDownLatch.await < io.smallrye.mutiny.operators.uni.UniBlockingAwait.await: smallrye/smallrye-mutiny
    Library(
        cause="missing-timeout",
        name="Mutiny",
        frames=("io.smallrye.mutiny.",),
        remedy=(
            say(
                "Use await().atMost(Duration) instead of await().indefinitely(), or ifNoItem().after(Duration).fail()."
            ),
        ),
        kind="bridge",
    ),
    # LockSupport.parkNanos < kotlinx.coroutines.BlockingCoroutine.joinBlocking < BuildersKt.runBlocking:
    # Kotlin/kotlinx.coroutines
    Library(
        cause="missing-timeout",
        name="Kotlin runBlocking",
        frames=("kotlinx.coroutines.",),
        remedy=(
            say(
                "Put withTimeout(milliseconds) around what runBlocking runs in the listener, and set the timeout of the"
                " client that the coroutine calls."
            ),
            say(
                "A suspended coroutine is on no thread, so no thread dump shows where it is: install DebugProbes of"
                " kotlinx-coroutines-debug, and take DebugProbes.dumpCoroutines()."
            ),
        ),
        kind="bridge",
    ),
    # scala.concurrent.Await.result < impl.Promise.tryAwait0: scala/scala
    Library(
        cause="missing-timeout",
        name="Scala Await",
        frames=("scala.concurrent.",),
        remedy=(say("Pass a finite duration to Await.result instead of Duration.Inf."),),
    ),
    # com.google.common.util.concurrent.Uninterruptibles.getUninterruptibly, AbstractFuture.get: google/guava
    Library(
        cause="missing-timeout",
        name="Guava futures",
        frames=(
            "com.google.common.util.concurrent.AbstractFuture.get",
            "com.google.common.util.concurrent.Futures.get",
            "com.google.common.util.concurrent.Uninterruptibles.getUninterruptibly",
        ),
        remedy=(
            say("Use get(timeout, unit) or Futures.withTimeout instead of get() and Futures.getUnchecked."),
        ),
        kind="bridge",
    ),
)
