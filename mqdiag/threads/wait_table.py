"""Frames that say what a thread waits for: those of the JDK, read from JDK 8 to 25 dumps and sources, and of libraries.

What is known of a library is in its file in `mqdiag/knowledge/libraries`.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from mqdiag.facts.vocabulary import Doing
from mqdiag.knowledge.library_files import from_libraries, index

# top frame of a waiting thread, with the kind of wait; frames below it may be more specific
_NATIVE_WAITS: dict[str, Doing] = {
    "sun.nio.ch.SocketDispatcher.read0": "socket-read",
    "sun.nio.ch.SocketDispatcher.readv0": "socket-read",
    "java.net.SocketInputStream.socketRead0": "socket-read",
    "sun.nio.ch.FileDispatcherImpl.read0": "socket-read",
    "sun.nio.ch.Net.poll": "socket-read",
    "sun.nio.ch.NioSocketImpl.park": "socket-read",
    "sun.nio.ch.IOUtil.read": "socket-read",
    "sun.nio.ch.Net.recv": "socket-read",
    "sun.nio.ch.DatagramChannelImpl.receive0": "socket-read",
    "java.net.PlainDatagramSocketImpl.receive0": "socket-read",
    "sun.nio.ch.SocketDispatcher.write0": "socket-write",
    "sun.nio.ch.SocketDispatcher.writev0": "socket-write",
    "java.net.SocketOutputStream.socketWrite0": "socket-write",
    "sun.nio.ch.Net.connect0": "connect",
    "sun.nio.ch.Net.pollConnect": "connect",
    "java.net.PlainSocketImpl.socketConnect": "connect",
    # JDK 8 on Windows
    "java.net.DualStackPlainSocketImpl.connect0": "connect",
    "java.net.DualStackPlainSocketImpl.waitForConnect": "connect",
    "java.net.TwoStacksPlainSocketImpl.socketConnect": "connect",
    "java.net.DualStackPlainSocketImpl.accept0": "accept",
    "java.net.TwoStacksPlainSocketImpl.socketAccept": "accept",
    "java.net.DualStackPlainDatagramSocketImpl.socketReceiveOrPeekData": "socket-read",
    "java.net.TwoStacksPlainDatagramSocketImpl.receive0": "socket-read",
    "sun.nio.ch.Iocp.getQueuedCompletionStatus": "select",
    "java.lang.ProcessImpl.waitForInterruptibly": "process",
    "java.net.Inet4AddressImpl.lookupAllHostAddr": "dns",
    "java.net.Inet6AddressImpl.lookupAllHostAddr": "dns",
    "java.net.Inet4AddressImpl.getHostByAddr": "dns",
    "java.net.Inet6AddressImpl.getHostByAddr": "dns",
    "java.net.PlainSocketImpl.socketAccept": "accept",
    "sun.nio.ch.Net.accept": "accept",
    "sun.nio.ch.ServerSocketChannelImpl.accept0": "accept",
    "sun.nio.ch.EPoll.wait": "select",
    "sun.nio.ch.EPollArrayWrapper.epollWait": "select",
    "sun.nio.ch.KQueue.poll": "select",
    "sun.nio.ch.WEPoll.wait": "select",
    "sun.nio.ch.WindowsSelectorImpl$SubSelector.poll0": "select",
    "sun.nio.ch.PollSelectorImpl.poll": "select",
    "java.lang.Thread.sleep": "sleep",
    "java.lang.Thread.sleep0": "sleep",
    "java.lang.Thread.sleepNanos0": "sleep",
    "java.lang.Thread.sleepNanos": "sleep",
    "java.lang.VirtualThread.parkNanos": "park",
    "java.lang.VirtualThread.park": "park",
    "java.lang.VirtualThread.sleepNanos": "sleep",
    "java.lang.VirtualThread.yieldContinuation": "park",
    "jdk.internal.vm.Continuation.yield": "park",
    "jdk.internal.vm.Continuation.run": "park",
    "sun.misc.Unsafe.park": "park",
    "sun.misc.Unsafe.park0": "park",
    "jdk.internal.misc.Unsafe.park": "park",
    "java.lang.Object.wait": "object-wait",
    "java.lang.Object.wait0": "object-wait",
    "java.io.FileOutputStream.writeBytes": "file-write",
    "java.io.FileOutputStream.write": "file-write",
    "java.io.RandomAccessFile.writeBytes": "file-write",
    "java.io.RandomAccessFile.writeBytes0": "file-write",
    "sun.nio.ch.FileDispatcherImpl.write0": "file-write",
    "sun.nio.ch.FileDispatcherImpl.pwrite0": "file-write",
    "sun.nio.ch.UnixFileDispatcherImpl.write0": "file-write",
    "sun.nio.ch.UnixFileDispatcherImpl.pwrite0": "file-write",
    "sun.nio.ch.FileDispatcherImpl.force0": "file-sync",
    "sun.nio.ch.UnixFileDispatcherImpl.force0": "file-sync",
    "java.nio.MappedByteBuffer.force0": "file-sync",
    "java.nio.MappedMemoryUtils.force0": "file-sync",
    "java.io.FileDescriptor.sync": "file-sync",
    "java.io.FileDescriptor.sync0": "file-sync",
    "sun.nio.ch.FileDispatcherImpl.lock0": "file-lock",
    "sun.nio.ch.UnixFileDispatcherImpl.lock0": "file-lock",
    "java.io.FileInputStream.readBytes": "file-read",
    # opening a named pipe waits for the other end
    "java.io.FileInputStream.open0": "file-read",
    "java.io.FileOutputStream.open0": "file-write",
    "java.io.RandomAccessFile.open0": "file-read",
    "sun.nio.fs.UnixNativeDispatcher.open0": "file-read",
    "java.io.FileInputStream.read0": "file-read",
    "java.io.RandomAccessFile.readBytes": "file-read",
    "java.io.RandomAccessFile.readBytes0": "file-read",
    "sun.nio.ch.UnixFileDispatcherImpl.read0": "file-read",
    "sun.nio.ch.UnixFileDispatcherImpl.pread0": "file-read",
    "sun.nio.ch.FileDispatcherImpl.pread0": "file-read",
    "java.lang.ProcessHandleImpl.waitForProcessExit0": "process",
    "java.lang.ProcessImpl.waitForProcessExit": "process",
    "java.lang.UNIXProcess.waitForProcessExit": "process",
}

# frames between a park and the method that waits
PARK_PLUMBING = frozenset(
    {
        "sun.misc.Unsafe.park",
        "java.util.concurrent.locks.LockSupport.park",
        "java.util.concurrent.locks.LockSupport.parkNanos",
        "java.util.concurrent.locks.LockSupport.parkUntil",
        "java.util.concurrent.ForkJoinPool.managedBlock",
        "java.util.concurrent.ForkJoinPool.unmanagedBlock",
        "java.util.concurrent.ForkJoinPool.compensatedBlock",
        "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionNode.block",
        "java.lang.System$2.parkVirtualThread",
        "jdk.internal.misc.VirtualThreads.park",
        "java.lang.VirtualThread.park",
        "java.lang.VirtualThread.parkNanos",
        "java.lang.VirtualThread.yieldContinuation",
        "jdk.internal.vm.Continuation.yield",
        "jdk.internal.vm.Continuation.yield0",
        "java.lang.Object.wait",
        "java.lang.Object.wait0",
    }
)

# the kind of wait by the first of these frames below the top
WAITS: dict[str, Doing] = {
    "sun.nio.ch.NioSocketImpl.connect": "connect",
    "sun.nio.ch.NioSocketImpl.timedFinishConnect": "connect",
    "sun.nio.ch.SocketChannelImpl.connect": "connect",
    "sun.nio.ch.SocketChannelImpl.blockingConnect": "connect",
    "sun.nio.ch.SocketChannelImpl.finishTimedConnect": "connect",
    "java.net.PlainSocketImpl.socketConnect": "connect",
    "sun.nio.ch.NioSocketImpl.accept": "accept",
    "sun.nio.ch.NioSocketImpl.timedAccept": "accept",
    "sun.nio.ch.ServerSocketChannelImpl.accept": "accept",
    "sun.nio.ch.ServerSocketAdaptor.accept": "accept",
    "sun.nio.ch.NioSocketImpl.tryRead": "socket-read",
    "sun.nio.ch.NioSocketImpl.implRead": "socket-read",
    "sun.nio.ch.NioSocketImpl.timedRead": "socket-read",
    "sun.nio.ch.NioSocketImpl.read": "socket-read",
    "sun.nio.ch.SocketChannelImpl.read": "socket-read",
    "sun.nio.ch.SocketChannelImpl.blockingRead": "socket-read",
    "sun.nio.ch.SocketChannelImpl.implBlockingRead": "socket-read",
    "sun.nio.ch.SocketAdaptor$1.read": "socket-read",
    "sun.nio.ch.SocketAdaptor$SocketInputStream.read": "socket-read",
    "sun.nio.ch.NioSocketImpl.tryWrite": "socket-write",
    "sun.nio.ch.NioSocketImpl.implWrite": "socket-write",
    "sun.nio.ch.SocketChannelImpl.write": "socket-write",
    "sun.nio.ch.SocketChannelImpl.blockingWrite": "socket-write",
    "sun.nio.ch.FileChannelImpl.read": "file-read",
    "sun.nio.ch.FileChannelImpl.write": "file-write",
    "java.io.PipedInputStream.read": "file-read",
    "java.io.PipedReader.read": "file-read",
    "java.io.PipedInputStream.receive": "file-write",
    "java.io.PipedReader.receive": "file-write",
    "java.lang.Thread.sleep": "sleep",
    "java.lang.VirtualThread.sleepNanos": "sleep",
    "java.util.concurrent.CompletableFuture.get": "future",
    "java.util.concurrent.CompletableFuture.join": "future",
    "java.util.concurrent.CompletableFuture.waitingGet": "future",
    "java.util.concurrent.CompletableFuture.timedGet": "future",
    "java.util.concurrent.FutureTask.awaitDone": "future",
    "java.util.concurrent.FutureTask.get": "future",
    "java.util.concurrent.ForkJoinTask.get": "future",
    "java.util.concurrent.ForkJoinTask.join": "future",
    "java.util.concurrent.ForkJoinTask.awaitDone": "future",
    "java.util.concurrent.ForkJoinTask.externalAwaitDone": "future",
    "java.util.concurrent.AbstractExecutorService.invokeAll": "future",
    "sun.nio.ch.PendingFuture.get": "future",
    "java.util.concurrent.CountDownLatch.await": "latch",
    "java.util.concurrent.CyclicBarrier.await": "latch",
    "java.util.concurrent.CyclicBarrier.dowait": "latch",
    "java.util.concurrent.Phaser.awaitAdvance": "latch",
    "java.util.concurrent.Phaser.internalAwaitAdvance": "latch",
    "java.util.concurrent.Exchanger.exchange": "latch",
    "java.util.concurrent.Semaphore.acquire": "semaphore",
    "java.util.concurrent.Semaphore.tryAcquire": "semaphore",
    "java.util.concurrent.Semaphore.acquireUninterruptibly": "semaphore",
    "java.util.concurrent.LinkedBlockingQueue.take": "queue",
    "java.util.concurrent.LinkedBlockingQueue.poll": "queue",
    "java.util.concurrent.LinkedBlockingQueue.put": "queue",
    "java.util.concurrent.LinkedBlockingQueue.offer": "queue",
    "java.util.concurrent.ArrayBlockingQueue.take": "queue",
    "java.util.concurrent.ArrayBlockingQueue.poll": "queue",
    "java.util.concurrent.ArrayBlockingQueue.put": "queue",
    "java.util.concurrent.ArrayBlockingQueue.offer": "queue",
    "java.util.concurrent.LinkedBlockingDeque.takeFirst": "queue",
    "java.util.concurrent.LinkedBlockingDeque.pollFirst": "queue",
    "java.util.concurrent.LinkedBlockingDeque.putLast": "queue",
    "java.util.concurrent.SynchronousQueue.take": "queue",
    "java.util.concurrent.SynchronousQueue.poll": "queue",
    "java.util.concurrent.SynchronousQueue.put": "queue",
    "java.util.concurrent.SynchronousQueue.offer": "queue",
    "java.util.concurrent.LinkedTransferQueue.take": "queue",
    "java.util.concurrent.LinkedTransferQueue.poll": "queue",
    "java.util.concurrent.LinkedTransferQueue.transfer": "queue",
    "java.util.concurrent.PriorityBlockingQueue.take": "queue",
    "java.util.concurrent.DelayQueue.take": "queue",
    "java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue.take": "queue",
    "java.util.concurrent.ExecutorCompletionService.take": "future",
    "java.util.concurrent.ThreadPoolExecutor.awaitTermination": "latch",
    "java.util.concurrent.locks.ReentrantLock.lock": "lock",
    "java.util.concurrent.locks.ReentrantLock$Sync.lock": "lock",
    "java.util.concurrent.locks.ReentrantLock.lockInterruptibly": "lock",
    "java.util.concurrent.locks.ReentrantLock.tryLock": "lock",
    "java.util.concurrent.locks.ReentrantLock$NonfairSync.lock": "lock",
    "java.util.concurrent.locks.ReentrantLock$FairSync.lock": "lock",
    "java.util.concurrent.locks.ReentrantReadWriteLock$ReadLock.lock": "lock",
    "java.util.concurrent.locks.ReentrantReadWriteLock$ReadLock.lockInterruptibly": "lock",
    "java.util.concurrent.locks.ReentrantReadWriteLock$WriteLock.lock": "lock",
    "java.util.concurrent.locks.ReentrantReadWriteLock$WriteLock.lockInterruptibly": "lock",
    "java.util.concurrent.locks.ReentrantReadWriteLock$WriteLock.tryLock": "lock",
    "java.util.concurrent.locks.ReentrantReadWriteLock$ReadLock.tryLock": "lock",
    "java.util.concurrent.locks.StampedLock.writeLock": "lock",
    "java.util.concurrent.locks.StampedLock.writeLockInterruptibly": "lock",
    "java.util.concurrent.locks.StampedLock.tryWriteLock": "lock",
    "java.util.concurrent.locks.StampedLock.readLock": "lock",
    "java.util.concurrent.locks.StampedLock.readLockInterruptibly": "lock",
    "java.util.concurrent.locks.StampedLock.tryReadLock": "lock",
    "jdk.internal.misc.InternalLock.lock": "lock",
    "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await": "condition",
    "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.awaitNanos": "condition",
    "java.lang.Thread.join": "join",
    "java.lang.Process.waitFor": "process",
    "java.lang.ProcessImpl.waitFor": "process",
    "java.lang.UNIXProcess.waitFor": "process",
}
LOCK_CALLS = frozenset(
    method
    for method, kind in WAITS.items()
    if kind == "lock" and "$Sync" not in method and "NonfairSync" not in method and "FairSync" not in method
)

# a thread in one of these frames is idle
_IDLE = frozenset(
    {
        "java.util.concurrent.ThreadPoolExecutor.getTask",
        "java.util.concurrent.ForkJoinPool.awaitWork",
        "java.lang.ref.ReferenceQueue.remove",
        "java.lang.ref.ReferenceQueue.remove0",
        "java.lang.ref.Reference.waitForReferencePendingList",
        "java.util.TimerThread.mainLoop",
        "jdk.internal.ref.CleanerImpl.run",
        "sun.nio.ch.Net.accept",
        "java.net.PlainSocketImpl.socketAccept",
        "java.net.DualStackPlainSocketImpl.accept0",
        "java.net.TwoStacksPlainSocketImpl.socketAccept",
        "sun.nio.ch.NioSocketImpl.accept",
        "java.net.ServerSocket.accept",
        "sun.net.httpserver.ServerImpl$Dispatcher.run",
        "java.lang.VirtualThread.takeVirtualThreadListToUnblock",
        "sun.nio.ch.Poller.pollerLoop",
        "sun.nio.ch.Poller.loop",
    }
)
# pipes between threads, which look once a second if the thread at the other end is still alive
PIPES = (
    "java.io.PipedInputStream.",
    "java.io.PipedOutputStream.",
    "java.io.PipedReader.",
    "java.io.PipedWriter.",
)
# the streams that HttpURLConnection wraps around the body of an answer
_ANSWER_BODIES = (".MeteredStream.read", ".ChunkedInputStream.read")
# a ForkJoinPool worker searches for a task in this frame; up to JDK 21 the same frame also runs the task
LOOKS_FOR_TASK = "java.util.concurrent.ForkJoinPool.scan"
# frames that run a task of another thread
TASK_RUNNERS = frozenset(
    {
        "java.util.concurrent.ThreadPoolExecutor.runWorker",
        "java.util.concurrent.ForkJoinPool.runWorker",
        # an executor with a thread for each task, which supplyAsync uses on machines with one or two cores
        "java.util.concurrent.CompletableFuture$AsyncSupply.run",
        "java.util.concurrent.CompletableFuture$AsyncRun.run",
    }
)
CARRIER = "java.lang.VirtualThread.runContinuation"
CARRIER_IDLE = frozenset({"java.util.concurrent.ForkJoinPool.deactivate"})

_LOGGING = ("java.util.logging.",)


class Known(NamedTuple):
    """What frames of the JDK and of libraries tell of a thread; the keys of `[threads]` in the files of libraries."""

    native_waits: dict[str, Doing]
    """the kind of wait by the top frame of a waiting thread"""
    idle: frozenset[str]
    """a thread in one of these frames is idle"""
    stepped_waits: tuple[str, ...]
    """beginnings of methods that wait for one thing in many short steps; the work between two steps is no progress"""
    spinning_waits: tuple[str, ...]
    """the same of waits that look for room again and again with hardly a pause, so that their CPU time tells nothing"""
    loggers: tuple[str, ...]
    """beginnings of the frames of loggers"""
    full_log_queues: tuple[str, ...]
    """ends of what asynchronous loggers call after their queue had no room"""
    log_facades: tuple[str, ...]
    """beginnings of the frames of what passes a log call on to a logger"""
    log_writers: tuple[str, ...]
    """parts of the names, in lower case, of threads that empty the queue of an asynchronous logger"""
    answer_bodies: tuple[str, ...]
    """ends of methods of the streams that HTTP clients wrap around the body of an answer"""
    per_call_objects: tuple[str, ...]
    """ends of names of classes whose objects are made for one call and die with it"""


@from_libraries
@cache
def known_frames() -> Known:
    """What is known of the JDK and of all libraries.

    Raises:
        KnowledgeError: a file of a library is wrong.
    """
    files = [file.threads for file in index().values() if file.threads is not None]
    return Known(
        native_waits={
            **_NATIVE_WAITS,
            **{method: kind for one in files for method, kind in one.native_waits.items()},
        },
        idle=_IDLE.union(*(one.idle for one in files)),
        stepped_waits=tuple(prefix for one in files for prefix in one.stepped_waits),
        spinning_waits=tuple(prefix for one in files for prefix in one.spinning_waits),
        loggers=(*_LOGGING, *(prefix for one in files for prefix in one.loggers)),
        full_log_queues=tuple(end for one in files for end in one.full_log_queues),
        log_facades=tuple(prefix for one in files for prefix in one.log_facades),
        log_writers=tuple(part for one in files for part in one.log_writers),
        answer_bodies=(*_ANSWER_BODIES, *(end for one in files for end in one.answer_bodies)),
        per_call_objects=tuple(end for one in files for end in one.per_call_objects),
    )
