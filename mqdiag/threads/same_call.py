"""Whether two samples caught the same call: by objects that are made for one call and die with it."""

from __future__ import annotations

from itertools import pairwise

from mqdiag.threads.align import Track

# a stream of one answer: HttpClient.parseHTTP makes a new one for each request, while other clients keep theirs
# as long as the connection
_STREAM = "java.io.BufferedInputStream"
_STREAM_LIBRARIES = frozenset({"HttpURLConnection"})
_PER_CALL = (
    "HttpURLConnection",
    "HttpsURLConnectionImpl",
    "java.util.concurrent.CompletableFuture$Signaller",
    "java.util.concurrent.FutureTask",
    "java.util.concurrent.CompletableFuture",
    "java.util.concurrent.CountDownLatch$Sync",
)


def call_objects(track: Track, index: int) -> frozenset[str]:
    """Objects of one sample that were made for the call that the thread is in."""
    record, view = track.records[index], track.views[index]
    if record is None or view is None:
        return frozenset()
    library = view.cause.library if view.cause is not None else ""
    found = set()
    for lock in record.stack.locks:
        if not 0 <= lock.slot < len(record.addresses):
            continue
        if lock.class_name.endswith(_PER_CALL) or (lock.class_name == _STREAM and library in _STREAM_LIBRARIES):
            found.add(record.addresses[lock.slot])
    return frozenset(found)


def same_call(track: Track, first: int) -> bool:
    """The same object of a call in all samples from `first` on."""
    objects = [call_objects(track, index) for index in track.present if index >= first]
    return bool(objects) and bool(frozenset.intersection(*objects))


def other_calls(track: Track, first: int) -> bool:
    """No object of a call is shared by any two samples, though each has one.

    Proves progress only where objects are named by identity hash: addresses change when the collector moves
    objects.
    """
    objects = [call_objects(track, index) for index in track.present if index >= first]
    return len(objects) > 1 and all(objects) and all(not (one & other) for one, other in pairwise(objects))
