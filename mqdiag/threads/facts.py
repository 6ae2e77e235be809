"""From samples to facts: all steps of the analysis, in order."""

from __future__ import annotations

from collections import defaultdict

from mqdiag.facts.stacks import SameCall, SampleFacts, StackGroup, StacksFacts, ThreadAt, ThreadFacts
from mqdiag.facts.thread_locks import LockFacts
from mqdiag.read.stacks.records import Sample
from mqdiag.threads import roles
from mqdiag.threads.busy_threads import busy_threads
from mqdiag.threads.call_tree import call_tree
from mqdiag.threads.collection_calls import collection_calls
from mqdiag.threads.collector_load import collector_load
from mqdiag.threads.common_places import common_places
from mqdiag.threads.connection_waits import connection_waits, pool_queues
from mqdiag.threads.deadlocks import deadlocks, hidden_deadlocks, taken_at
from mqdiag.threads.decide import judge_tracks
from mqdiag.threads.event_loops import blocked_loops
from mqdiag.threads.judgement import Judgement, World
from mqdiag.threads.known_rests import known_rests
from mqdiag.threads.left_locks import left_locks
from mqdiag.threads.lock_passes import deadlocked, inferred_waiters, owners_of_late_waits, owners_of_locks
from mqdiag.threads.locks import lock_graphs
from mqdiag.threads.passes import run_passes
from mqdiag.threads.pinned_carriers import pinned_carriers
from mqdiag.threads.series import Moment, Series, make_series
from mqdiag.threads.servers import server_kinds
from mqdiag.threads.shown_frames import cut_frames
from mqdiag.threads.shutdown import shutdown_of
from mqdiag.threads.signs_of_rocketmq import has_frame_of_rocketmq, signs_of_rocketmq
from mqdiag.threads.stack_meaning import StackMeanings
from mqdiag.threads.standstills import frame_of, same_calls, standstills
from mqdiag.threads.starts import start_wait
from mqdiag.threads.thread_kinds import growing_kinds, thread_kinds
from mqdiag.threads.tracks import Track, align
from mqdiag.threads.worker_pools import worker_pools

ABSENT = ThreadAt(state="ABSENT")


def stacks_facts(samples: list[Sample]) -> StacksFacts:
    """Analyse the samples of one JVM."""
    series = make_series(samples)
    tracks = align(series, StackMeanings())
    judgements = judge_tracks(tracks, series)
    world = World(judgements, lock_graphs(tracks, series), series)
    run_passes(world)
    at_samples = _SamplesOfThreads()
    lock_views = (world.once(deadlocked), world.once(inferred_waiters), world.once(owners_of_late_waits))
    tells_daemons = any(thread.daemon for sample in series.samples[-1:] for thread in sample.threads)
    lines = series.samples[-1].header_lines if series.moments else {}
    return StacksFacts(
        samples=len(series.moments),
        threads=tuple(_thread(judgement, at_samples, tells_daemons, lines) for judgement in judgements),
        series=tuple(_sample(moment) for moment in series.moments),
        seconds=series.seconds,
        judged=series.not_judged is None,
        not_judged_because=series.not_judged,
        pasted=next((sample.pasted for sample in samples if sample.pasted is not None), None),
        may_be_pasted=next(
            (sample.may_be_pasted for sample in samples if sample.may_be_pasted is not None), None
        ),
        jvms=series.jvms,
        repeated_samples=series.repeated,
        cut_samples=series.cut,
        has_cpu=any(judgement.run.cpu_growth_ms is not None for judgement in judgements)
        or any(track.last.cpu_ms is not None for track in tracks),
        has_synchronizers=any(sample.with_synchronizers for sample in series.samples),
        pools=worker_pools(judgements, len(series.moments)),
        groups=_groups(judgements),
        calls=call_tree(tracks),
        locks=_locks(world),
        deadlocks=deadlocks(world),
        hidden_deadlocks=hidden_deadlocks(world),
        common_places=common_places(judgements, world.once(owners_of_locks)),
        busy_threads=busy_threads(judgements, series),
        blocked_loops=blocked_loops(judgements, series),
        growing_kinds=growing_kinds(tracks, series),
        start_wait=start_wait(judgements, series),
        standstills=standstills(judgements, *lock_views),
        same_calls=same_calls(judgements, *lock_views),
        kinds=thread_kinds(tracks, len(series.moments)),
        connection_waits=connection_waits(judgements, series),
        pool_queues=pool_queues(judgements, series),
        collector=collector_load(tracks, series),
        collection_calls=collection_calls(tracks),
        pinned_carriers=pinned_carriers(series),
        shutdown=shutdown_of(world),
        known_rests=known_rests(world),
        missing=_missing(tracks, series),
        servers=server_kinds(track.role for track in tracks),
        signs_of_rocketmq=signs_of_rocketmq(tracks),
    )


def _sample(moment: Moment) -> SampleFacts:
    sample = moment.sample
    return SampleFacts(
        path=sample.source,
        format=sample.format,
        jvm=sample.jvm,
        captured_local=sample.captured_local,
        captured_at=sample.captured_at,
        seconds=moment.seconds,
        jumped_s=moment.jumped_s,
        threads=len(sample.threads),
        heap_used_bytes=sample.heap_used_bytes,
        heap_size_bytes=sample.heap_size_bytes,
        complete=sample.complete,
        is_part=sample.is_part,
        process=moment.jvm,
    )


class _SamplesOfThreads:
    """What threads show at each sample; those that show the same share it."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], tuple[ThreadAt, ...]] = {}

    def of(self, track: Track) -> tuple[ThreadAt, ...]:
        """One entry for each sample of the series."""
        cpu_ms = [None if record is None else record.cpu_ms for record in track.records]
        key = (track.meanings, *cpu_ms)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = tuple(
                ABSENT
                if seen is None
                else ThreadAt(state=seen.stack.state, top=seen.top, cpu_ms=cpu, doing=seen.doing)
                for seen, cpu in zip(track.meanings, cpu_ms, strict=True)
            )
        return known


def _thread(
    judgement: Judgement, samples: _SamplesOfThreads, tells_daemons: bool, lines: dict[str, int]
) -> ThreadFacts:
    track, now = judgement.track, judgement.now
    last, meaning = track.last, track.last_meaning
    return ThreadFacts(
        name=track.name,
        java_id=last.java_id,
        tid=last.tid,
        nid=last.nid,
        role=track.role,
        pool=track.pool,
        group=track.group,
        state=now.state,
        samples=samples.of(track),
        confidence=now.confidence,
        reason=now.reason,
        doing=meaning.doing,
        frame=meaning.own_frame,
        listener=meaning.listener,
        library=None if meaning.library is None else meaning.library.name,
        remote=None if meaning.library is None else meaning.library.cause,
        daemon=last.daemon if tells_daemons else None,
        cpu_growth_ms=now.run.cpu_growth_ms,
        held_by=now.waits_for.name if now.waits_for is not None else None,
        line=lines.get(track.name) if track.records[-1] is not None else None,
        same_call=SameCall(samples=now.run.count, seconds=now.run.seconds)
        if judgement.is_in_same_call
        else None,
    )


def _groups(judgements: list[Judgement]) -> tuple[StackGroup, ...]:
    """Threads with equal frames and states, the largest group first; without JVM threads that have no frames."""
    members: dict[tuple[object, ...], list[Judgement]] = defaultdict(list)
    for judgement in judgements:
        track = judgement.track
        frames = track.last.stack.frames
        if frames and track.role != roles.JVM:
            pool = track.pool if track.is_worker else None
            members[track.role, pool, judgement.state, frames].append(judgement)
    groups = []
    for same in members.values():
        shown, own = cut_frames(same[0].track.last_meaning)
        groups.append(
            StackGroup(
                threads=tuple(judgement.track.name for judgement in same),
                state=same[0].state,
                frames=shown,
                own=own,
                role=same[0].track.role,
            )
        )
    groups.sort(
        key=lambda group: (group.state not in ("stuck", "blocked"), -len(group.threads), group.threads[0])
    )
    return tuple(groups)


def _locks(world: World) -> tuple[LockFacts, ...]:
    waits = {
        track: wait
        for track in world.by_track
        # a class that nobody names and nobody initializes is no lock to show
        if not track.ended and (wait := world.last_wait(track)) is not None and wait.object_id
    }
    waiters: dict[tuple[int, str], list[Track]] = defaultdict(list)
    for track, wait in waits.items():
        waiters[(track.jvm, wait.object_id)].append(track)
    owners_seen: dict[tuple[int, str], set[Track]] = defaultdict(set)
    at_samples: dict[tuple[int, str], list[tuple[int, str | None]]] = {}
    for index, graph in enumerate(world.graphs):
        for track, wait in graph.waits.items():
            key = track.jvm, wait.object_id
            if key not in waiters:
                continue
            if wait.owner is not None:
                owners_seen[key].add(wait.owner)
            rows = at_samples.setdefault(key, [(0, None)] * len(world.graphs))
            rows[index] = (
                rows[index][0] + 1,
                rows[index][1] or (wait.owner.name if wait.owner else wait.owner_name),
            )
    left = left_locks(world)
    at_work = sum(one.state != "idle" and one.track.role != roles.JVM for one in world.judgements)
    facts = []
    for key, tracks in waiters.items():
        wait = waits[tracks[0]]
        owner = wait.owner
        meaning = owner.last_meaning if owner is not None else None
        onward = waits.get(owner) if owner is not None else None
        facts.append(
            LockFacts(
                object_id=wait.object_id,
                class_name=wait.class_name,
                kind=wait.kind,
                owner=owner.name if owner is not None else wait.owner_name,
                owner_frame=(frame_of(owner) or owner.last_meaning.top) if owner is not None else None,
                owner_doing=meaning.doing if meaning is not None else None,
                owner_waits_for=onward.object_id if onward is not None else None,
                inferred=wait.inferred,
                moving=len(owners_seen[key]) > 1,
                waiters=tuple(track.name for track in tracks),
                waiting=tuple(count for count, _ in at_samples.get(key, ())),
                owners=tuple(name for _, name in at_samples.get(key, ())),
                share=round(len(tracks) / at_work, 3) if at_work else 0.0,
                taken_at=taken_at(owner, owner.judged[-1], wait.object_id) if owner is not None else None,
                left=left.get(key),
            )
        )
    facts.sort(key=lambda lock: (-len(lock.waiters), lock.object_id))
    return tuple(facts)


def _missing(tracks: list[Track], series: Series) -> tuple[str, ...]:
    """A client that rebalances without a pull thread has lost it; seen in every sample, or it is starting."""
    if series.jvms > 1 or not series.moments:
        return ()
    rebalance = [track for track in tracks if track.role == roles.REBALANCE_SERVICE and not track.ended]
    # an application may have a thread of that name; without any frame the name is all that tells
    rebalance = list(filter(has_frame_of_rocketmq, rebalance)) or rebalance
    pull = [track for track in tracks if track.role == roles.PULL_SERVICE and not track.ended]
    consumers = any(
        track.is_worker or track.role in ("expiry-cleaner", "consume-scheduled") for track in tracks
    )
    if rebalance and consumers and len(pull) < len(rebalance) and series.samples[-1].complete:
        return ("PullMessageService",)
    return ()
