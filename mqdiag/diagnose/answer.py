"""The answer of a run, decided in one place when all else of the report is known.

"healthy" is claimed only over evidence that was read whole and understood; whatever is missing makes it "undecided".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from mqdiag.baseline import lowered_line
from mqdiag.causes.one_clock import Clock
from mqdiag.diagnose.open_in_report import open_in_report, was_read
from mqdiag.diagnose.open_reason import NONE_GIVEN, GivenLimits, Open
from mqdiag.facts.evidence_kinds import NAMES, evidence_names
from mqdiag.findings import Answer, Finding, Margin, Report
from mqdiag.log_events import between, by_clock, events, only, seconds_between
from mqdiag.rules.catalogue import cards_of
from mqdiag.text import NOTHING, Text, say, sentences

if TYPE_CHECKING:
    from mqdiag.diagnose.wrong_process import WrongProcess

MOST_REASONS = 3
MOST_NOTICED = 2
RESTS = frozenset({"no-backlog-or-slow-pull", "nothing-is-pulled"})
"""causes of findings that say of threads that they have no work"""
UNKNOWN_PLACE = "place-unknown"
"""cause of findings that say of threads that they may have work which mqdiag does not know"""
MOST_NOT_GIVEN = 3
TAKEN = ("heap", "stacks", "logs", "admin", "stores")
"""evidence that somebody can take of a process that runs"""
LEVELS = {
    "high": say("High confidence"),
    "medium": say("Medium confidence"),
    "low": say("Low confidence"),
}


def answered(report: Report, margins: tuple[Margin, ...] = (), limits: GivenLimits = NONE_GIVEN) -> Report:
    """The report with its answer.

    Args:
        report: all else of it.
        margins: what the rules said of their limits.
        limits: that the configuration sets, by rule.
    """
    opened = cache(lambda: tuple(open_in_report(report, limits)))
    answer = _answer(report, margins, opened, limits)
    if report.lowered:
        answer = _lowered(report, answer)
    if answer.state == "undecided" and not _compares_or_lists(report):
        # Here, not above: a decided run needs no next step.
        from mqdiag.diagnose.next_step import next_step
        from mqdiag.diagnose.seen import seen

        step = next_step(report, (*_of_another(report, answer), *opened()))
        answer = msgspec.structs.replace(answer, next=step, seen=tuple(seen(report)))
    return msgspec.structs.replace(report, answer=answer)


def _compares_or_lists(report: Report) -> bool:
    """Whether a report is of no process whose evidence would tell more."""
    return any(part is not None for part in (report.show, report.secrets, report.fleet, report.diff))


def _of_another(report: Report, answer: Answer) -> Iterator[Open]:
    """That the evidence is of another process, where this is the answer."""
    foreign = _of_wrong_process(report)
    if foreign is not None and foreign.headline and answer.text == foreign.headline and foreign.wants:
        yield Open(foreign.headline, foreign.wants, foreign.named)


def _lowered(report: Report, answer: Answer) -> Answer:
    """The answer where the configuration made findings smaller: healthy is what nobody had to talk down."""
    why = lowered_line(report)
    if answer.state != "healthy":
        return msgspec.structs.replace(
            answer, reason=sentences(answer.reason, say("{why}.", why=why)), lowered=len(report.lowered)
        )
    return Answer(
        state="undecided",
        text=say("No fault found with these settings, but {why}.", why=why),
        reason=answer.reason,
        margins=answer.margins,
        lowered=len(report.lowered),
    )


def _answer(
    report: Report, margins: tuple[Margin, ...], opened: Callable[[], tuple[Open, ...]], limits: GivenLimits
) -> Answer:
    faults = [found for found in report.findings if found.is_fault]
    standing = [found for found in faults if found.accepted is None]
    if standing:
        return _fault(report, standing[0], margins, _of_wrong_process(report))
    if report.show is not None:
        return Answer(state="undecided", text=say("One object or class is shown; nothing was diagnosed."))
    if report.secrets is not None:
        return Answer(state="undecided", text=say("Only secrets were searched for; nothing was diagnosed."))
    if report.fleet is not None and report.fleet.plan is not None:
        return Answer(state="undecided", text=say("This is the plan of a run; nothing was analysed."))
    reasons = [reason.why for reason in opened()]
    if faults:
        return _accepted(faults[0], reasons, margins)
    foreign = _of_wrong_process(report)
    advice, headline = (NOTHING, NOTHING) if foreign is None else (foreign.advice, foreign.headline)
    if _all_threads_rest(report):
        # whatever process it is, nothing in it hangs; that it is another one is a remark
        advice, headline = sentences(_of_one_moment(report), advice), NOTHING
    if reasons or headline or _nothing_read(report):
        # what else was found is the answer, and that it may be the wrong process a remark below it
        alone = all(
            (one.undecides and one.cause != UNKNOWN_PLACE) or one.cause in RESTS for one in report.findings
        )
        return Answer(
            state="undecided",
            text=(_at_work(report) or headline) if headline and alone else _undecided(report),
            reason=sentences(*reasons[:MOST_REASONS], *(() if alone else (headline,)), advice),
            margins=margins,
        )
    if report.diff is not None:
        return Answer(state="healthy", text=say("No finding is new or worse."))
    from mqdiag.diagnose.changed_settings import changed_settings

    return Answer(
        state="healthy",
        text=_no_fault(report),
        reason=sentences(
            changed_settings(report),
            *_noticed(report),
            _over(report, limits),
            _not_given(report),
            _harmless(report),
            advice,
        ),
        margins=margins,
    )


def _no_fault(report: Report) -> Text:
    stacks = report.stacks
    rests = None if stacks is None or stacks.judged else stacks.known_rests
    alone = {given.kind for given in was_read(report)} == {"stacks"}
    if rests is not None and alone and not report.other_processes:
        return say(
            "No fault found, as far as one dump shows: {threads:count} {threads:thread waits|threads wait} for work,"
            " and no thread for anything else.",
            threads=rests.threads,
        )
    kinds = [kind for kind in NAMES if getattr(report, kind, None)]
    if not kinds:
        return say("No fault found.")
    return say("No fault found in {kinds:and}.", kinds=evidence_names(kinds))


def _of_one_moment(report: Report) -> Text:
    """What a moment in which all threads rest does not show."""
    if report.stacks is None or report.stacks.judged:
        return NOTHING
    return say(
        "A thread that hangs does so at every moment; that work should have come and did not, no thread shows."
    )


def _all_threads_rest(report: Report) -> bool:
    """Whether thread dumps alone were given, and show each thread where it is known to wait for work."""
    of = [report.stacks, *(one.stacks for one in report.other_processes)]
    for one in of:
        if one is None or one.known_rests is None or not one.known_rests.all_rest:
            return False
        if one.signs_of_rocketmq == "names-alone":
            return False
    return {given.kind for given in was_read(report)} == {"stacks"}


def _noticed(report: Report) -> Iterator[Text]:
    """What rules told of and is no fault: it may be just what somebody asked about."""
    for found in report.findings[:MOST_NOTICED]:
        yield say("{title}; by itself this means no fault.", title=found.title)


def _harmless(report: Report) -> Text | None:
    """What looks like trouble in the logs and is none."""
    if report.logs is None or not report.logs.harmless:
        return None
    first = report.logs.harmless[0]
    return say(
        '{lines:count} {lines:line|lines} such as "{example}" {lines:is|are} harmless: {why}',
        first,
        lines=first.count,
    )


def _over(report: Report, limits: GivenLimits) -> Text | None:
    """Symptoms in the logs that have passed."""
    lines = None if report.logs is None else report.logs.level_lines
    if lines is None or not lines.weak:
        return None
    from mqdiag.diagnose.open_in_logs import is_over, limits_of_logs  # where logs were read it is there

    if not is_over(report, lines, limits_of_logs(limits)):
        return None
    restart = _restart(report)
    if restart is not None:
        return say(
            "{restart} {lines:count} {lines:line is|lines are} of faults that are over: the logs go on for"
            " {quiet_s:seconds} without one.",
            restart=restart,
            lines=sum(lines.weak.values()),
            quiet_s=lines.quiet_s,
        )
    return say(
        "{lines:count} {lines:line is|lines are} of faults that are over ({what:and}): the logs go on for"
        " {quiet_s:seconds} without one.",
        lines=sum(lines.weak.values()),
        what=tuple(say('"{title}"', title=card.title) for card in cards_of(lines.weak).values()),
        quiet_s=lines.quiet_s,
    )


def _restart(report: Report) -> Text | None:
    """The broker that took no connection for a time; None where none is known, or where several are."""
    logs = report.logs
    refused = [] if logs is None else events(logs, "broker-not-connected")
    broker = only(refused[0], "broker") if len(refused) == 1 else None
    if logs is None or broker is None:
        return None
    away = between(refused[0].first, refused[0].last)
    when = by_clock(away, Clock(report).told)
    servers = {file.path for file in logs.files if file.kind == "broker"}
    ended, started = (
        [event.last for event in events(logs, kind) if event.last and servers.intersection(event.files)]
        for kind in ("shutdown-hook-ran", "start-succeeded")
    )
    if ended and started and seconds_between(max(ended), max(started)) > 0:
        return say(
            "Broker {broker} was restarted: it took no connection {when}, and takes them again.",
            broker=broker,
            when=when,
        )
    return say(
        "Broker {broker} took no connection {when}, as while it restarts, and takes them again.",
        broker=broker,
        when=when,
    )


def _of_wrong_process(report: Report) -> WrongProcess | None:
    """What to say where the evidence was read whole and shows nothing of RocketMQ."""
    compared = report.diff is not None or report.fleet is not None
    if compared or not all(given.complete for given in report.inputs):
        return None
    if report.heap is None and report.stacks is None:
        return None
    from mqdiag.diagnose.wrong_process import wrong_process

    return wrong_process(report)


def _accepted(first: Finding, reasons: list[Text], margins: tuple[Margin, ...]) -> Answer:
    """The answer where somebody accepted all faults."""
    text = (
        say(
            "Only accepted faults were found, but not all of the evidence could be judged; the first is: {title}",
            title=first.title,
        )
        if reasons
        else say("Only accepted faults were found; the first is: {title}", title=first.title)
    )
    return Answer(
        state="undecided" if reasons else "fault",
        text=text,
        reason=sentences(*reasons[:MOST_REASONS]),
        margins=margins,
    )


def _not_given(report: Report) -> Text:
    """The kinds of evidence that most of the other rules look at."""
    lacking = Counter(
        kind
        for one in {one.rule: one for one in report.skipped}.values()
        for kind in one.needs
        if kind in TAKEN
    )
    kinds = [kind for kind, _ in lacking.most_common(MOST_NOT_GIVEN)]
    if not kinds:
        return NOTHING
    return say(
        "Other rules look at {kinds:and}, which {kinds_count:was|were} not given.",
        kinds=evidence_names(kinds),
        kinds_count=len(kinds),
    )


def _fault(report: Report, first: Finding, margins: tuple[Margin, ...], foreign: WrongProcess | None) -> Answer:
    verdict = report.verdict
    if verdict is not None and verdict.chain:
        reason = _certainty(verdict.confidence or "", verdict.confidence_reason)
        text = verdict.statement
    else:
        reason, text = _certainty(first.confidence.value, first.confidence_reason), first.title
    remark = () if foreign is None else (foreign.beside_fault or foreign.headline or foreign.advice,)
    reason = sentences(reason, *_read_in_part(report, first), *remark)
    return Answer(state="fault", text=text, reason=reason, margins=margins)


def _read_in_part(report: Report, first: Finding) -> Iterator[Text]:
    """That numbers of the answer are lower bounds, where a file that it rests on is cut, or others are damaged."""
    damaged = [given for given in report.inputs if given.error is not None]
    if len(damaged) == 1:
        yield say("{path} could not be read: this answer does not include its content.", path=damaged[0].path)
        return
    if damaged:
        yield say(
            "{damaged:count} inputs could not be read, the first is {path}: this answer "
            "does not include their content.",
            damaged=len(damaged),
            path=damaged[0].path,
        )
        return
    for given in report.inputs:
        own = given.path in first.rests_on or (not first.rests_on and given.kind in first.seen_in)
        if given.was_read and not given.complete and own:
            yield say("{path} could be read in part only, so its numbers are lower bounds.", path=given.path)
            return


def _certainty(confidence: str, why: Text) -> Text:
    level = LEVELS.get(confidence, NOTHING)
    return say("{level}: {why}.", level=level, why=why) if why else say("{level}.", level=level)


def _at_work(report: Report) -> Text | None:
    """Where most threads are that are not known to rest: in the application's own code, or several in one place."""
    stacks = report.stacks
    if stacks is None:
        return None
    judged = stacks.shows_standstills
    by_frame: Counter[str] = Counter()
    for one in stacks.groups:
        if one.state in ("unknown", "progressing") and (one.own or (not judged and len(one.threads) > 1)):
            by_frame[one.frames[one.own[0] if one.own else 0]] += len(one.threads)
    if not by_frame:
        return None
    ((frame, threads),) = by_frame.most_common(1)
    if not judged:
        return say(
            "No fault found, but {threads:count} {threads:thread is|threads are} at {frame}, and one sample does not"
            " show whether {threads:it moves|they move}.",
            threads=threads,
            frame=frame,
        )
    return say(
        "No fault found, but {threads:count} {threads:thread is|threads are} at work at {frame} in the last sample,"
        " and nothing shows whether {threads:its work ends|their work ends}.",
        threads=threads,
        frame=frame,
    )


def _undecided(report: Report) -> Text:
    if _nothing_read(report):
        return say("No input could be read.")
    if report.diff is not None:
        return say("No finding is new or worse in what could be compared.")
    if not report.checked:
        return say("This evidence does not suffice for a diagnosis.")
    return say("No fault found, but not all of the evidence could be judged.")


def _nothing_read(report: Report) -> bool:
    """Inputs were given, and none could be read."""
    return bool(report.inputs) and not was_read(report)
