"""One path to its samples: recognises the form, refuses by name what it cannot read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

import msgspec

from mqdiag.errors import TAKES_ANY, InputError, empty_file
from mqdiag.read.crash.recognise import HEADS
from mqdiag.read.healing import healed
from mqdiag.read.logs.listings import may_hold_texts
from mqdiag.read.open.door import as_far_as_they_go, members
from mqdiag.read.stacks import endpoint, heap_view, jconsole, other_forms, patterns
from mqdiag.read.stacks.body import BodyParser
from mqdiag.read.stacks.classic import ClassicScanner
from mqdiag.read.stacks.cpu_times import CpuTimes, is_cpu_times, read_cpu_times
from mqdiag.read.stacks.decode import TextPieces
from mqdiag.read.stacks.dump_file import is_json_dump, is_text_dump, read_json, read_text
from mqdiag.read.stacks.header_lines import HeaderLines
from mqdiag.read.stacks.pasted import IN_PREFIX
from mqdiag.read.stacks.records import Sample
from mqdiag.read.stacks.unwrap import Unwrapper
from mqdiag.read.stacks.whole import threads_cut
from mqdiag.text import Text, say

MARKS = (
    patterns.DUMP_MARK.encode(),
    patterns.STATE_MARK.encode(),
    patterns.DEADLOCK_MARK.encode(),
    patterns.JSON_MARK.encode(),
    b"(state = ",
    other_forms.JROCKIT_MARK.encode(),
)
"""bytes that stand in most forms of a thread dump, wherever it begins"""
HINT = say("give what `jstack PID`, `jcmd PID Thread.print` or `kill -3` wrote")
CPU_TIMES = "cpu-times"
"""the form of a file that holds no dump, but processor times of threads"""
JAVACORE_HEAD = 64 << 10
"""characters in which a javacore has its first tags"""
HEAD_BYTES = 4 << 10
"""that show whether a file holds CPU times"""
MAX_WHOLE_FILE = 1 << 30
"""characters of a Thread.dump_to_file that are read at once"""


class ReadResult(msgspec.Struct, kw_only=True):
    """What a path holds."""

    path: str
    samples: list[Sample] = msgspec.field(default_factory=list)
    errors: list[tuple[str, Text]] = msgspec.field(default_factory=list)
    """(member, problem) of the parts of an archive that hold no sample"""
    format: str = "jstack"
    bytes: int = 0
    wrapper: str = "plain"
    cpu_times: list[CpuTimes] = msgspec.field(default_factory=list)
    """what it holds instead of samples, or beside them: processor times of their threads"""
    ended_by: Text | None = None
    """why not all of it was read"""
    mixed: Text | None = None
    """why dumps in it were left out: lines of several are mixed"""
    has_crash_head: bool = False
    """the head of a crash report stands in it, which other readers understand"""


def is_of_a_tool(head: bytes) -> bool:
    """Whether text begins with threads in a form that none of the marks is in."""
    text = head.decode(errors="replace")
    return (
        patterns.INFO_THREAD.search(text) is not None
        or heap_view.is_analyzer_text(text)
        or endpoint.is_endpoint_json(text)
        or jconsole.is_jconsole_text(text)
        or _is_javacore(text)
        or is_cpu_times(text)
        or other_forms.converter(text) is not None
    )


def read_stacks(
    path: str, bodies: BodyParser | None = None, check: Callable[[], None] = lambda: None
) -> ReadResult:
    """All samples of a path, in the order in which they stand there.

    Args:
        path: a file, packed or not; `-` is standard input.
        bodies: the cache of parsed stacks, to be shared by the files of a series.
        check: asked for each piece of the file; where it raises an InputError, what was read before stays.

    Raises:
        InputError: there is no sample in it.
    """
    bodies = bodies or BodyParser()
    result = ReadResult(path=path)
    first_error: InputError | None = None
    found = members(path)
    while True:
        label = path
        try:
            label, chunks = next(found)
            headers, ended_by = HeaderLines(), result.ended_by
            samples = _read_member(label, _healed(headers.of(_counted(chunks, result, check))), bodies, result)
            if result.ended_by is ended_by:  # a member that is damaged has lines that nobody wrote
                samples = _unmixed(samples, result)
            if samples:
                samples[-1].header_lines = headers.lines
            result.samples += samples
        except StopIteration:
            break
        except InputError as error:
            # of a member, or of the archive behind its last good member: what was read stays
            first_error = first_error or error
            result.errors.append((label, error.problem))
    if not result.samples and not result.cpu_times and result.mixed is None:
        if first_error is not None:
            raise InputError(path, first_error.problem, hint=first_error.hint, lack=first_error.lack)
        raise InputError(path, say("holds no file that could be a thread dump"), hint=HINT)
    if result.samples:
        result.format = result.samples[0].format
    elif result.mixed is None:
        result.format = CPU_TIMES
    return result


def samples_of_text(label: str, text: str, bodies: BodyParser) -> list[Sample]:
    """The samples in a text that is no file, such as one in a recording.

    Raises:
        InputError: there is no sample in it.
    """
    return _read_member(label, iter((text.encode("utf-8", "replace"),)), bodies, ReadResult(path=label))


def _healed(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The chunks as their writer left them; rows of CPU times begin with numbers that look like those of lines."""
    first = next(chunks, b"")
    whole = chain((first,), chunks)
    return whole if is_cpu_times(first[:HEAD_BYTES].decode(errors="replace")) else healed(whole)


def _counted(chunks: Iterator[bytes], result: ReadResult, check: Callable[[], None]) -> Iterator[bytes]:
    """The chunks as far as they can be read and are allowed; why there are no more is noted.

    Raises:
        InputError: there is not one.
    """

    def note(problem: Text, _: int) -> None:
        result.ended_by = problem

    for chunk in as_far_as_they_go(chunks, note, check):
        result.bytes += len(chunk)
        yield chunk


def _read_member(label: str, chunks: Iterator[bytes], bodies: BodyParser, result: ReadResult) -> list[Sample]:
    text_pieces = TextPieces(label, chunks)
    pieces = _searched(text_pieces, result)
    head = next(pieces, "")
    while not head.strip() and (following := next(pieces, None)) is not None:
        head = following
    if not head.strip():
        raise empty_file(label)
    if endpoint.is_before_answer(head):
        head += next(pieces, "")
    if is_cpu_times(head):
        result.cpu_times += read_cpu_times(label, _whole(label, head, pieces))
        return []
    if is_json_dump(head) or is_text_dump(head):
        text = _whole(label, head, pieces)
        return _with_threads(
            label, read_json(label, text) if is_json_dump(head) else read_text(label, text, bodies)
        )
    if endpoint.is_endpoint_json(head):
        text = endpoint.as_thread_info(label, _whole(label, head, pieces))
        answers = list(ClassicScanner(label, bodies).push(text, last=True))
        for answer in answers:
            answer.headless = False  # no paste: the answer is closed, so all threads are in it
        return _with_threads(label, answers)
    if heap_view.is_analyzer_text(head):
        text = heap_view.as_thread_info(_whole(label, head, pieces))
        return _with_threads(label, list(ClassicScanner(label, bodies).push(text, last=True)))
    if jconsole.is_jconsole_text(head):
        text = jconsole.as_thread_info(_whole(label, head, pieces))
        return _with_threads(label, list(ClassicScanner(label, bodies).push(text, last=True)))
    convert = other_forms.converter(head)
    if convert is not None:
        return _of_other_form(label, head, convert(_whole(label, head, pieces)), bodies)
    if _is_javacore(head):
        return _of_javacore(label, _whole(label, head, pieces), bodies)
    unwrapper = Unwrapper()
    scanner = ClassicScanner(label, bodies)
    apart = ClassicScanner(label, bodies)
    samples: list[Sample] = []
    refusal = _Refusal()
    is_of_texts = may_hold_texts(head[:HEAD_BYTES].encode(errors="replace"))
    for piece in chain((head,), pieces):
        found = scanner.push(unwrapper.push(piece), last=text_pieces.ended)
        samples += map(_pasted, found) if is_of_texts else found
        if unwrapper.pasted or text_pieces.ended:
            samples += map(_pasted, apart.push(unwrapper.pasted, last=text_pieces.ended))
        if not samples and not scanner.in_sample:
            refusal.look(piece)
        if unwrapper.is_plain and text_pieces.is_plain and not text_pieces.ended and scanner.may_take_bytes:
            text_pieces.give_undecoded(scanner.give_back(), scanner.take_bytes)
    if not samples:
        raise InputError(label, refusal.problem(), hint=refusal.hint())
    result.wrapper = unwrapper.name
    return _with_threads(label, samples)


def _unmixed(samples: list[Sample], result: ReadResult) -> list[Sample]:
    """The samples whose stacks are those of threads; why there are others is noted.

    What stands around a mixed dump and is not whole is a part of it.
    """
    mixed = next((sample.mixed for sample in samples if sample.mixed is not None), None)
    if mixed is None:
        return samples
    result.mixed = result.mixed or mixed
    return [sample for sample in samples if not sample.mixed and sample.complete and not sample.contradictory]


def _pasted(sample: Sample) -> Sample:
    sample.pasted = IN_PREFIX
    return sample


def _searched(pieces: Iterable[str], result: ReadResult) -> Iterator[str]:
    """The pieces, searched for heads of crash reports; threads that are taken undecoded have none."""
    for piece in pieces:
        result.has_crash_head = result.has_crash_head or any(head in piece for head in HEADS)
        yield piece


def _of_other_form(label: str, head: str, text: str, bodies: BodyParser) -> list[Sample]:
    samples = _with_threads(label, list(ClassicScanner(label, bodies).push(text, last=True)))
    for sample in samples if other_forms.is_agents(head) else ():
        sample.complete = False
        sample.problem = say(
            "`jstack -F` prints neither names of threads nor who holds a lock; use `jcmd PID Thread.print -l`, or"
            " `kill -3 PID` and the console log"
        )
    return samples


def _is_javacore(head: str) -> bool:
    # the search for lines takes a hundred times as long as those for words
    is_likely = any(mark in head[:JAVACORE_HEAD] for mark in patterns.JAVACORE_MARKS)
    return is_likely and patterns.JAVACORE_TAG.search(head, 0, JAVACORE_HEAD) is not None


def _of_javacore(label: str, text: str, bodies: BodyParser) -> list[Sample]:
    # Here, not above: few JVMs are OpenJ9.
    from mqdiag.read.stacks import javacore

    samples = list(ClassicScanner(label, bodies).push(javacore.as_jstack(text), last=True))
    for sample in samples:
        sample.format = "javacore"
        sample.captured_at = javacore.captured_at(text)
        sample.pid = javacore.process_id(text)
        sample.heap_used_bytes, sample.heap_size_bytes = javacore.heap_bytes(text)
        sample.problem = javacore.problem_of(text)
        sample.complete = sample.problem is None
        sample.stopped_at_byte = None if javacore.END_MARK in text else len(text.encode())
    return _with_threads(label, samples)


def _with_threads(label: str, samples: list[Sample]) -> list[Sample]:
    """Samples that hold a thread; the words alone, or a head that was cut behind, are no dump."""
    found = [sample for sample in samples if sample.threads]
    if not found:
        raise InputError(label, say("holds the head of a thread dump but no thread: it is cut"), hint=HINT)
    for sample in found:
        sample.threads_cut = threads_cut(sample.threads, excerpt=sample.headless)
    return found


def _whole(label: str, head: str, pieces: Iterator[str]) -> str:
    parts, size = [head], len(head)
    for piece in pieces:
        parts.append(piece)
        size += len(piece)
        if size > MAX_WHOLE_FILE:
            raise InputError(label, say("is larger than 1 GiB, too large for one thread dump"))
    return "".join(parts)


class _Refusal:
    """Why a text without a sample is none: looks at what people give instead."""

    def __init__(self) -> None:
        self._failed: str | None = None

    def look(self, piece: str) -> None:
        """Take note of what a piece looks like."""
        if self._failed is None and len(piece) < 1 << 16:
            found = patterns.FAILED_CAPTURE.search(piece)
            self._failed = found[0].strip() if found else None

    def problem(self) -> Text:
        """What is wrong, in one line."""
        if self._failed:
            return say("holds no thread dump: the capture failed ({message})", message=self._failed[:160])
        return say("holds no thread dump")

    def hint(self) -> Text:
        """What to try next."""
        if self._failed:
            return say("run jstack as the user of the process, or use `kill -3 PID` and the console log")
        return say("{give}; {or_else}", give=HINT, or_else=TAKES_ANY)
