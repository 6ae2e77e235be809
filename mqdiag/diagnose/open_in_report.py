"""What of the evidence of a run proves nothing: missing, not read, not understood, or of a kind that cannot."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from mqdiag.diagnose.open_reason import GivenLimits, Open, mends
from mqdiag.facts import AdminFacts, Input, StacksFacts
from mqdiag.facts.heap import CLOCKS, TIME
from mqdiag.findings import Report
from mqdiag.text import say

MOST_TOLD = 3
"""threads that a reason names"""
CONNECTED_ONLY = frozenset({"consumer_connections", "producer_connections"})
STORED_ONLY = frozenset({"topic_queues", "routes"})
"""answers of mqadmin on what is stored; a group that does not consume it looks the same"""
NO_SERIES = say("One sample, or samples too close together, cannot tell progress from standstill.")
PASTED = say("somebody pasted it into a log, and nothing in it says of which process it is")


def was_read(report: Report) -> list[Input]:
    """The inputs of which something could be read."""
    return [given for given in report.inputs if given.was_read]


def open_in_report(report: Report, limits: GivenLimits) -> Iterator[Open]:
    """Why the evidence does not prove that all is well; nothing when it does.

    Args:
        report: all of it but the answer.
        limits: that the configuration sets.
    """
    if report.inputs and not was_read(report):
        return
    pasted = next((one for one in report.findings if one.confidence_reason == PASTED), None)
    if pasted is not None:
        yield Open(
            say("Somebody pasted evidence into a log, which shows: {title}.", title=pasted.title), "take_stacks"
        )
    elif (
        report.stacks is not None
        and report.stacks.pasted
        and {one.kind for one in was_read(report)} == {"stacks"}
    ):
        yield Open(
            say("Somebody pasted the thread dumps, and nothing shows the process of the log."), "take_stacks"
        )
    yield from _not_read(report)
    for found in report.findings:
        if found.undecides:
            yield Open(say("{title}.", title=found.title), does=found.now[0] if found.now else None)
    for failed in report.failed:
        yield Open(say("Rule {rule} failed, which is a fault of mqdiag.", rule=failed.rule))
    if report.verdict is not None:
        for line in report.verdict.contradictions[:1]:
            yield Open(say("The evidence disagrees: {line}.", line=line))
    yield from _thin(report)
    if report.diff is not None and report.diff.remarks:
        remarks = len(report.diff.remarks)
        yield Open(
            say(
                "{remarks:count} {remarks:reason makes|reasons make} the two sides hard to compare.",
                remarks=remarks,
            )
        )
    if report.heap is not None:
        if TIME in report.heap.unknown and (report.heap.consumers or report.heap.instances):
            yield Open(say("No age is known, because {why}.", why=report.heap.unknown[TIME]))
        if CLOCKS in report.heap.unknown:
            yield Open(
                say("Times of several hosts cannot be compared: {why}.", why=report.heap.unknown[CLOCKS])
            )
    if report.admin is not None:
        yield from _untold(report, report.admin)
    if report.logs is not None:
        # Here, not above: dumps are judged without it.
        from mqdiag.diagnose.open_in_logs import limits_of_logs, open_in_logs

        yield from open_in_logs(report, report.logs, limits_of_logs(limits))


def _not_read(report: Report) -> Iterator[Open]:
    unreadable = [
        given
        for given in report.inputs
        if given.error is not None or (given.kind == "admin" and given.skipped is not None and not given.pasted)
    ]
    if unreadable:
        yield Open(
            say(
                "{unreadable:count} {unreadable:input|inputs} could not be read, the first is {path}.",
                unreadable=len(unreadable),
                path=unreadable[0].path,
            ),
            mends(unreadable[0]),
            {"path": unreadable[0].path},
        )
    for given in report.inputs:
        if given.may_be_quoted:
            yield Open(
                say(
                    "A statement in {path} goes on below its line, so that a user may have written what stands below.",
                    path=given.path,
                ),
                named={"path": given.path},
            )
    found = {given for found in report.findings if found.undecides for given in found.rests_on}
    for given in report.inputs:
        told = found or any(one.evidence.get("path") == given.path for one in report.findings)
        if given.was_read and not given.complete and not told:
            yield Open(say("{path} is incomplete.", path=given.path), "same_file", {"path": given.path})
    if report.stores is not None and any(store.unusable_offsets for store in report.stores.stores):
        yield Open(say("Some stored offsets could not be read."))


def _thin(report: Report) -> Iterator[Open]:
    """Evidence that was read, and is of a kind that proves nothing."""
    heap, stacks = report.heap, report.stacks
    if heap is not None and heap.process_queues is None:
        counted = any(given.kind == "histogram" for given in was_read(report))
        if counted and stacks is not None and stacks.shows_standstills:
            pass  # threads of the same process show how it is; the counts take nothing away from that
        elif counted:
            yield Open(
                say("A class histogram does not show who holds the objects."),
                "take_heap",
            )
        else:
            yield Open(say("Counts alone name no cause; run without --quick for a diagnosis."), "heap_in_full")
    if stacks is not None and not stacks.shows_standstills and stacks.pasted is None and heap is None:
        reason = _not_judged(report, stacks)
        told = any(found.undecides and "stacks" in found.seen_in for found in report.findings)
        if reason.why != NO_SERIES or not told:  # a finding says it in its own words
            yield reason
    part = next((one for one in stacks.series if one.is_part), None) if stacks is not None else None
    if part is not None:
        yield Open(
            say(
                "{path} lacks the first or the last lines of a thread dump, and so threads, perhaps.",
                path=part.path,
            ),
            "same_file",
            {"path": part.path},
        )
    if report.recordings is not None:
        # Here, not above: other evidence is judged without it.
        from mqdiag.diagnose.open_in_recordings import open_in_recordings

        yield from (Open(why, "take_recording") for why in open_in_recordings(report, report.recordings))
    if report.profiles is not None:
        from mqdiag.diagnose.open_in_profiles import open_in_profiles

        yield from (Open(why, "take_stacks") for why in open_in_profiles(report, report.profiles))
    kinds = {given.kind for given in was_read(report)}
    if not report.checked and kinds:
        yield Open(say("No rule could look at this evidence."))
    if kinds and kinds <= {"service", "resources"} and report.checked:
        yield Open(
            say("What databases, gateways and hosts print does not show whether messages are consumed."),
            "progress",
        )
    if kinds == {"admin"} and report.admin is not None and _only_settings(report.admin):
        yield Open(say("The settings of a broker do not show whether it works."), "broker_status")


def _not_judged(report: Report, stacks: StacksFacts) -> Open:
    others = sum(one.stacks is not None for one in report.other_processes)
    if others:
        return Open(
            say(
                "The thread dumps come from {jvms:count} JVMs, and each was judged by itself: samples of "
                "different JVMs cannot be compared.",
                jvms=1 + others,
            ),
            "take_stacks",
        )
    if stacks.jvms > 1:  # a saved report of dumps that were taken for one series
        return Open(
            say("mqdiag diagnose judges each JVM by itself, and so does one command for each."), "take_stacks"
        )
    return _one_sample(stacks)


def _one_sample(stacks: StacksFacts) -> Open:
    rests = stacks.known_rests
    if rests is not None and rests.hides_virtual_threads and not rests.others:
        return Open(
            say("All threads wait for work, but virtual threads are in use and these dumps do not show them."),
            "all_threads",
        )
    if rests is not None and rests.hides_requests and not rests.others:
        return Open(
            say(
                "All threads wait for work, but a request of this server has no thread while it waits for something: "
                "no thread dump shows whether one hangs."
            ),
            "take_heap",
        )
    if rests is not None and rests.together_frame is not None:
        return Open(
            say(
                "{together:count} threads wait without a limit at {frame}; one sample does not show whether they wait"
                " for work or for what does not come.",
                rests,
                frame=rests.together_frame,
            ),
            "more_samples",
        )
    if rests is not None and 0 < rests.others <= MOST_TOLD and rests.threads > rests.others:
        return Open(
            say(
                "{threads:count} {threads:thread waits|threads wait} for work; one sample does not show whether"
                " {names:and} {others:hangs|hang}.",
                rests,
                names=rests.other_names,
            ),
            "more_samples",
        )
    if stacks.threads and all(thread.state == thread.doing == "idle" for thread in stacks.threads):
        return Open(
            say(
                "{threads:count} {threads:thread waits for work and holds|threads wait for work and hold} "
                "nothing up; one sample does not show whether work should have come.",
                threads=len(stacks.threads),
            ),
            "more_samples",
        )
    return Open(NO_SERIES, "more_samples")


def _only_settings(admin: AdminFacts) -> bool:
    given = {name for name in admin.__struct_fields__ if getattr(admin, name)}
    return given == {"broker_configs"}


def _untold(report: Report, admin: AdminFacts) -> Iterator[Open]:
    """Answers of mqadmin that leave out what would show a fault."""
    there = {name for name, rows in msgspec.structs.asdict(admin).items() if rows} - {"unread_commands"}
    alone = {given.kind for given in was_read(report)} == {"admin"}
    if there <= CONNECTED_ONLY and alone:
        yield Open(
            say("A list of clients shows who is connected, not whether messages are consumed."), "progress"
        )
    if there <= STORED_ONLY and alone:
        yield Open(
            say("topicStatus and topicRoute show what is stored, not whether it is consumed."), "progress"
        )
    if admin.unread_commands and alone:
        yield Open(
            say(
                "mqdiag does not read what mqadmin {commands:and} {commands:has|have} answered.",
                commands=admin.unread_commands,
            ),
            "progress",
        )
    unmeasured = [one for one in admin.brokers if one.oldest_hours is not None and one.disk_ratio is None]
    if unmeasured and alone:
        yield Open(
            say(
                "{broker} reports no share of its disk: it could not measure the path of its store.",
                broker=unmeasured[0].broker or unmeasured[0].address,
            ),
            "logs_of_broker",
        )
    if any(not client.queues for client in admin.clients):
        yield Open(
            say("An answer of consumerStatus has the settings of a client, and not its queues."), "progress"
        )
