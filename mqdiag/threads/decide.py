"""The first decision about one thread, from its own samples: stuck, progressing, idle or unknown."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import msgspec

from mqdiag.facts.vocabulary import ConfidenceLevel, NotJudged
from mqdiag.text import Text, say
from mqdiag.threads import roles
from mqdiag.threads.judgement import Judgement, Revision, Run
from mqdiag.threads.measured_limits import (
    BODY_MS,
    BODY_MS_PER_S,
    BURST_MS,
    BURST_OVER_REST,
    CLOCK_MS,
    COARSE_WORK_MS,
    ENOUGH_SLEEPS,
    EXACT_BYTES,
    FLOOR_MS,
    HIGH_MS,
    LONG_RUN_S,
    MONITOR_MS_PER_S,
    PIPE_MS_PER_S,
    SHORT_RUN_S,
    SPIN_SHARE,
    STEPS_MS_PER_S,
    STILL_MS,
    STILL_MS_PER_S,
    SURE_RUN_S,
    TRICKLE_MS_PER_S,
    WORK_BYTES_PER_S,
    WORK_MS,
)
from mqdiag.threads.resting import at_rest, is_cut_too_high, is_no_task, rests
from mqdiag.threads.same_work import (
    Rounded,
    growth_ms,
    is_stuck_since,
    last_samples_of_same_work,
    measure,
    what_decides,
)
from mqdiag.threads.series import Series
from mqdiag.threads.tracks import Track, has_other_calls, is_same_call

NOT_JUDGED: dict[NotJudged, Text] = {
    "one-sample": say("one sample cannot show progress"),
    "identical-samples": say("the samples are one dump, given more than once"),
    "mixed-jvms": say("the samples come from different JVMs"),
    "too-close": say("the samples are less than a second apart"),
}
_FREE_WAITS = frozenset(
    {"sleep", "future", "latch", "semaphore", "queue", "condition", "join", "object-wait", "park"}
)
"""waits that cost no CPU time, however long: what grows there is work before and behind them"""


def judge_tracks(tracks: Sequence[Track], series: Series) -> list[Judgement]:
    """Decide about each thread, once for all threads with the same stacks and growths."""
    seconds = Rounded()
    known: dict[tuple[object, ...], Revision] = {}
    judgements = []
    for track in tracks:
        key = what_decides(track, seconds)
        decision = known.get(key)
        if decision is None:
            decision = known[key] = _without_certainty(_decide(track, series), track)
        judgements.append(Judgement(track, decision))
    return judgements


def _without_certainty(decision: Revision, track: Track) -> Revision:
    """The decision without high confidence, where CPU times were read beside the dumps, a moment before or after."""
    if decision.confidence != "high" or decision.state == "idle" or not track.last.cpu_from_system:
        return decision
    return msgspec.structs.replace(
        decision,
        confidence="medium",
        reason=say("{decided}; CPU times were read beside the dumps", decided=decision.reason),
    )


def _decide(track: Track, series: Series) -> Revision:
    meanings = [meaning for index in track.judged if (meaning := track.meanings[index]) is not None]
    if track.ended and series.jvms == 1:
        return Revision(state="unknown", reason=say("it ended before the last sample"))
    meaning = meanings[-1]
    if track.lacks_frames and is_cut_too_high(track, meaning):
        return Revision(
            state="unknown",
            reason=say("its lower frames are missing, and nobody knows what it does there"),
        )
    if rests(track, meanings):
        if len(meanings) > 1:
            return Revision(state="idle", confidence="high", reason=say("waits for work in all samples"))
        return Revision(state="idle", confidence="medium", reason=say("waits for work in its only sample"))
    if series.not_judged is not None:
        if at_rest(track, meaning):
            return Revision(state="idle", confidence="medium", reason=say("waits for work in the last sample"))
        return Revision(state="unknown", reason=NOT_JUDGED[series.not_judged])
    if len(track.possible) == 1:
        return Revision(state="unknown", reason=NOT_JUDGED["one-sample"])
    if len(track.judged) == 1:
        return Revision(state="unknown", reason=say("it is in the last sample only"))
    if at_rest(track, meaning):
        return Revision(
            state="progressing",
            confidence="medium",
            reason=say("was at work in an earlier sample and waits for work now"),
        )
    decision = decide_busy(track, series)
    if decision.state == "stuck" and is_no_task(track, meaning):
        return Revision(
            state="unknown",
            reason=say("waits in no task of a pool: it may be meant to, as in a long poll"),
            run=decision.run,
            may_be_meant=True,
        )
    return decision


def decide_busy(track: Track, series: Series) -> Revision:
    """Decide about a thread that has something to do, by the last samples in which it is at the same work."""
    judged = track.judged
    samples = last_samples_of_same_work(track)
    whole = measure(track, series, samples)
    if len(samples) == 1:
        return _progressing(whole, say("its work changed between the last two samples"))
    if whole.cpu_growth_ms is None:
        return _without_cpu_time(track, whole, series)
    whole_is_still = _makes_no_progress(track, whole, samples)
    if not whole_is_still and _is_one_call(track, whole):
        return Revision(
            state="stuck",
            confidence="medium",
            reason=say(
                "{count:count} samples show one call, by its own object; CPU time grew by {cpu_growth:decimal} ms,"
                " as it does while an answer trickles in",
                count=whole.count,
                cpu_growth=whole.cpu_growth_ms,
            ),
            run=whole,
        )
    best: Run | None = None
    starts = range(len(samples) - 1)
    meaning = track.last_meaning
    in_steps = meaning.doing == "monitor" or meaning.waits_in_steps or meaning.in_pipe
    if growth_ms(track, samples[-2], samples[-1]) > STILL_MS and not in_steps:
        # what grew between the last two samples grew over every longer run too
        starts = range(0)
    # the longest run without progress; a thread may have moved first and be stuck since
    for start in starts:
        run = whole if start == 0 else measure(track, series, samples[start:])
        if run.cpu_growth_ms is None:
            continue  # the line of this sample was cut, or was no line of a thread
        is_still = whole_is_still if start == 0 else _makes_no_progress(track, run, samples[start:])
        if is_still:
            best = run
            break
    if best is None or (best.count < 3 and len(judged) > 2):
        return _growing(track, whole)
    if best.count < len(judged) and not is_stuck_since(best):
        return _progressing(whole, say("it moved earlier in the series, though not in the last samples"), "low")
    return _stuck(track, best)


def _makes_no_progress(track: Track, run: Run, samples: list[int]) -> bool:
    """Whether CPU time says that a thread did no work over a run of samples."""
    assert run.cpu_growth_ms is not None
    if run.seconds is not None and run.seconds < SHORT_RUN_S:
        return False
    if _works_at_once(track, samples):
        return False
    limit_ms = max(FLOOR_MS, min(STILL_MS, STILL_MS_PER_S * (8.0 if run.seconds is None else run.seconds)))
    meaning = track.last_meaning
    if run.same_frames and run.seconds is not None and meaning.reads_body:
        # a slow server makes its callers wait for the first line of an answer, not in the middle of it
        limit_ms = max(limit_ms, min(BODY_MS, BODY_MS_PER_S * run.seconds))
    if run.same_frames and run.seconds is not None and meaning.waits_in_steps:
        limit_ms = max(limit_ms, STEPS_MS_PER_S * run.seconds)
    if run.same_frames and run.seconds is not None and meaning.in_pipe:
        limit_ms = max(limit_ms, PIPE_MS_PER_S * run.seconds)
    if meaning.doing == "monitor" and run.seconds is not None:
        # one of the waiting threads checks the monitor once a second for as long as it waits
        limit_ms = max(limit_ms, MONITOR_MS_PER_S * run.seconds)
    if run.count < ENOUGH_SLEEPS and meaning.doing == "sleep":
        # a sleep costs so little CPU time that only more samples separate many messages from one long back-off
        limit_ms = FLOOR_MS
    return run.cpu_growth_ms <= limit_ms


def _works_at_once(track: Track, samples: list[int]) -> bool:
    """Whether the growth of a run came between two of its samples: one message was done and the next one begun."""
    if track.last_meaning.doing == "monitor" and track.last.cpu_from_system:
        # the JVM's own check of a monitor, once a second, shows in nanoseconds
        return False
    if track.role == roles.BROKER_SEND or track.last_meaning.reads_body or track.last_meaning.waits_in_steps:
        # a broker's waits have timeouts of their own, and its locks are judged by their owners; the bytes of an answer
        # and the steps of a wait come at any time
        return False
    growths = sorted(growth_ms(track, one, other) for one, other in pairwise(samples))
    if len(growths) < 2:
        # nothing to compare with
        return bool(growths) and growths[-1] > FLOOR_MS
    if growths[0] < CLOCK_MS and growths[-1] >= WORK_MS:
        return True
    usual = _middle(growths[:-1])
    return growths[-1] >= BURST_MS and growths[-1] > BURST_OVER_REST * (usual + CLOCK_MS)


def _middle(ordered: list[float]) -> float:
    """The median; the module `statistics` takes longer to import than all threads to judge."""
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def _stuck(track: Track, run: Run) -> Revision:
    if run.seconds is not None and run.seconds < LONG_RUN_S:
        return _not_yet_stuck(run)
    grew_ms = run.cpu_growth_ms or 0.0
    stuck = Revision(state="stuck", reason=_same_work_for(run), run=run)
    if run.seconds is None:
        return msgspec.structs.replace(
            stuck,
            confidence="low",
            reason=say(
                "{same_work}; the dumps do not show how much time is between them", same_work=stuck.reason
            ),
        )
    meaning = track.last_meaning
    if grew_ms > HIGH_MS and meaning.doing in _FREE_WAITS and not meaning.waits_in_steps:
        alike = say(
            "{same_work}; one long wait and a short one for each message look alike", same_work=stuck.reason
        )
        return Revision(state="unknown", reason=alike, run=run)
    if run.count < 3 or run.seconds < SURE_RUN_S:
        more = say("{same_work}; more samples would make it sure", same_work=stuck.reason)
        return msgspec.structs.replace(stuck, confidence="medium", reason=more)
    if grew_ms <= HIGH_MS or (meaning.doing == "socket-read" and grew_ms <= STILL_MS and run.same_frames):
        return msgspec.structs.replace(stuck, confidence="high")
    little = say("{same_work}, which is little but not nothing", same_work=stuck.reason)
    return msgspec.structs.replace(stuck, confidence="medium", reason=little)


def _not_yet_stuck(run: Run) -> Revision:
    return Revision(
        state="unknown",
        reason=say(
            "no progress for {seconds:seconds}, as in a slow call: samples over a longer time would decide",
            seconds=run.seconds,
        ),
        run=run,
    )


def _same_work_for(run: Run) -> Text:
    if run.seconds is None:
        return say(
            "{count:count} samples show the same work; CPU time grew by {grew:decimal} ms",
            count=run.count,
            grew=run.cpu_growth_ms,
        )
    return say(
        "{count:count} samples over {seconds:seconds} show the same work; CPU time grew by {grew:decimal} ms",
        count=run.count,
        seconds=run.seconds,
        grew=run.cpu_growth_ms,
    )


def _growing(track: Track, run: Run) -> Revision:
    """The same place in the code, but CPU time went by: work, or a loop."""
    assert run.cpu_growth_ms is not None
    if run.seconds is not None and run.seconds < SHORT_RUN_S and run.cpu_growth_ms <= STILL_MS:
        return Revision(
            state="unknown",
            reason=say("the samples span only {seconds:seconds}", seconds=run.seconds),
            run=run,
        )
    if track.last_meaning.spins:
        return Revision(
            state="unknown",
            reason=say(
                "it checks again and again if the queue has room, so its CPU time does not show whether it makes"
                " progress"
            ),
            run=run,
            spinning=True,
        )
    running = sum(
        1
        for index in track.judged[-run.count :]
        if (meaning := track.meanings[index]) and meaning.doing == "running"
    )
    share = run.cpu_growth_ms / (1000 * run.seconds) if run.seconds else 0.0
    has_task = track.last_meaning.in_listener or track.last_meaning.in_pool_task
    if running * 5 >= run.count * 4 and share >= SPIN_SHARE and has_task:
        return _computing(track, run, share)
    return _progressing(run, say("its CPU time grew by {cpu_growth:decimal} ms", cpu_growth=run.cpu_growth_ms))


def _computing(track: Track, run: Run, share: float) -> Revision:
    """Decide by the new objects: a thread that allocates nothing finishes no message, so it is in a loop."""
    if run.allocated_growth_bytes is None or not run.seconds:
        return Revision(
            state="unknown",
            reason=say(
                "it computes in the same place ({share:percent} of a core); dumps without allocated= do not tell a loop"
                " from work",
                share=share,
            ),
            run=run,
            computing=True,
        )
    if run.allocated_growth_bytes > 0:
        rate = run.allocated_growth_bytes / run.seconds
        return _progressing(
            run, say("computes, and makes new objects"), "medium" if rate >= WORK_BYTES_PER_S else "low"
        )
    if run.seconds < LONG_RUN_S:
        return msgspec.structs.replace(_not_yet_stuck(run), computing=True)
    if (track.last.allocated_bytes or 0) >= EXACT_BYTES:
        return Revision(
            state="unknown",
            reason=say(
                "computes ({share:percent} of a core); allocated= is too coarse to decide from 10 MB on",
                share=share,
            ),
            run=run,
            computing=True,
        )
    return Revision(
        state="stuck",
        confidence="high" if run.count >= 3 else "medium",
        reason=say("computes ({share:percent} of a core) and allocates nothing: a loop", share=share),
        run=run,
        computing=True,
    )


def _progressing(run: Run, reason: Text, confidence: ConfidenceLevel | None = None) -> Revision:
    # CPU time alone is no proof: a loop that tries one message again and again spends it too
    sure: ConfidenceLevel = "high" if run.count == 1 else "medium"
    return Revision(state="progressing", confidence=confidence or sure, reason=reason, run=run)


def _without_cpu_time(track: Track, run: Run, series: Series) -> Revision:
    """JDK 8, and files of Thread.dump_to_file: objects of calls and other threads must decide."""
    undecided = Revision(state="unknown", reason=say("the dumps hold no CPU time"), run=run)
    if run.seconds is not None and run.seconds < SHORT_RUN_S:
        return undecided
    coarse = _by_coarse_time(track, run)
    if coarse is not None:
        return coarse
    formats = {series.moments[index].sample.format for index in track.judged if index >= run.first}
    if formats <= {"dump-json", "dump-text"} and has_other_calls(track, run.first):
        return _progressing(
            run, say("each sample shows another call, by the identity of its objects"), "medium"
        )
    if run.seconds is not None and run.seconds < LONG_RUN_S:
        return _not_yet_stuck(run)
    if run.same_frames and run.count >= 2 and not (run.count < 3 and len(track.judged) > 2):
        return msgspec.structs.replace(undecided, unchanged=True)
    return undecided


def _by_coarse_time(track: Track, run: Run) -> Revision | None:
    """Decide by times to 10 ms, as `top` prints them: they show work, and no standstill."""
    first = track.records[run.first]
    if first is None or first.coarse_cpu_ms is None or track.last.coarse_cpu_ms is None:
        return None
    grew_ms = round(track.last.coarse_cpu_ms - first.coarse_cpu_ms, 3)
    if grew_ms < COARSE_WORK_MS:
        return None
    return _growing(track, msgspec.structs.replace(run, cpu_growth_ms=grew_ms))


def _is_one_call(track: Track, run: Run) -> bool:
    """Whether one call fills the series, by its own object, and costs no more than an answer that trickles in."""
    return (
        run.count == len(track.judged)
        and run.cpu_growth_ms is not None
        and run.seconds is not None
        and run.seconds >= LONG_RUN_S
        and run.cpu_growth_ms <= TRICKLE_MS_PER_S * run.seconds
        and run.same_frames
        and is_same_call(track, run.first)
    )
