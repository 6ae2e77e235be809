"""Whether thread dumps show anything of RocketMQ: names of threads alone can be those of other software."""

from __future__ import annotations

from collections.abc import Sequence

from mqdiag.facts.vocabulary import SignsOfRocketMQ
from mqdiag.threads import roles
from mqdiag.threads.tracks import Track

_OF_ANY_PROCESS = frozenset({roles.OTHER, roles.POOL, roles.JVM, roles.VIRTUAL, roles.CARRIER})
_PACKAGES = ("apache.rocketmq.", "alibaba.rocketmq.", "aliyun.openservices.")
"""parts of the names of RocketMQ's packages, which relocation leaves"""


def signs_of_rocketmq(tracks: Sequence[Track]) -> SignsOfRocketMQ:
    """What the threads show of a client or server of RocketMQ.

    A client that consumes has services beside its consume threads, which show frames of RocketMQ even when idle
    (PullMessageService, RebalanceService). Names of consume threads alone are no sign: a pool may be called so.
    """
    named = {track.role for track in tracks} - _OF_ANY_PROCESS
    if named - {roles.CONSUME_WORKER} or any(map(has_frame_of_rocketmq, tracks)):
        return "seen"
    return "names-alone" if named else "none"


def has_frame_of_rocketmq(track: Track) -> bool:
    """Whether a frame of RocketMQ, relocated or not, stands in a sample of the thread."""
    return any(
        part in frame
        for meaning in dict.fromkeys(track.meanings)
        if meaning is not None
        for frame in meaning.stack.frames
        for part in _PACKAGES
    )
