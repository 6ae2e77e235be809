"""Scans normalised text for dumps: jstack, jcmd Thread.print, SIGQUIT output inside any log, threads of tools.

Text is pushed in pieces and nothing but the open sample is kept, so a log of any size is read in constant
memory. A dump is cut into blocks at line starts with a quote, which C code finds; a block costs one header
match and one look into the cache of bodies.
"""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.read.stacks import patterns, thread_info
from mqdiag.read.stacks.body import BodyParser
from mqdiag.read.stacks.dump_start import find_start, head_start
from mqdiag.read.stacks.header import is_header, parse_header
from mqdiag.read.stacks.pasted import Surroundings
from mqdiag.read.stacks.records import Sample, ThreadRecord
from mqdiag.read.stacks.whole import TWO_PROCESSES, is_of_two_processes, mixed
from mqdiag.text import say

HEAD_LINES = 2_000
"""characters before the first line of a dump in which date and pid are looked for"""
MAX_BLOCK = 8 << 20
"""characters of one block; what follows is passed over (a hostile name, a log without a line start)"""
MAX_TAIL = 1 << 18
"""the same behind a dump's last line, where heap and deadlock sections stand and then only log lines"""
LONGEST_LIST = 1 << 20
"""characters of a JVM's list of its threads in which they are looked up"""
LONGEST_PLAIN = 1 << 18
"""characters of a thread that goes on in the next piece, beyond which it is not looked at again undecoded"""
NAME_LINES = 20
"""lines over which a thread's name with line breaks is followed"""


class ClassicScanner:
    """Finds samples in text that is pushed in pieces; every piece ends at a line end but the last."""

    def __init__(self, source: str, bodies: BodyParser) -> None:
        self.source = source
        self.bodies = bodies
        self.consumed_bytes = 0
        """bytes of what was pushed so far, as UTF-8"""
        self._buffer = ""
        self._sample: Sample | None = None
        self._past_trailer = False
        self._deadlock: list[tuple[str, str]] = []
        self._seen: set[tuple[str, int]] = set()
        """names and ids of the open sample's threads, in a paste that has no first line"""
        self._ended: list[Sample] = []
        self._above = ""
        """text without a dump that was pushed last"""
        self._around = Surroundings()
        """what stands around the last dump that was found"""
        self._begins_in_name = False
        """the open sample begins where the name of a thread may go on, in which anybody can write a date"""

    @property
    def in_sample(self) -> bool:
        """Whether a dump has begun and may go on."""
        return self._sample is not None

    def push(self, text: str, *, last: bool = False) -> Iterator[Sample]:
        """Take a piece of text; gives the samples that end in it."""
        self.consumed_bytes += _utf8_bytes(text)
        buffer = self._buffer + text if self._buffer else text
        while True:
            if self._sample is None:
                start = find_start(buffer)
                if start < 0:
                    self._above = buffer
                    self._around.look_at_beginning(buffer)
                    self._buffer = "" if last else buffer[-HEAD_LINES:]
                    return
                buffer = self._open(buffer, start)
            assert self._sample is not None
            following = buffer.find(patterns.DUMP_MARK)
            if following >= 0:
                # the next dump's date stands before its first line
                head = head_start(buffer, following)
                if not head and self._sample.headless and "\n" not in buffer[:following]:
                    head = following  # the line that began this sample begins one more: it would come again for ever
                self._begins_in_name = _ends_in_name(buffer[:head])
                self._blocks(buffer[:head], final=True)
                buffer = buffer[head:]
                yield from self._end()
                continue
            if last:
                self._blocks(buffer, final=True)
                self._buffer = ""
                yield from self._end(at_end=True)
                return
            self._buffer = self._blocks(buffer, final=False)
            ended, self._ended = self._ended, []
            yield from ended
            return

    @property
    def may_take_bytes(self) -> bool:
        """Whether the text that follows may be the threads of a dump and nothing else."""
        is_open = self._sample is not None and not self._sample.headless
        return is_open and self._buffer.startswith('"') and len(self._buffer) <= LONGEST_PLAIN

    def give_back(self) -> str:
        """The text of the last thread, which may go on: it is to come again."""
        buffer, self._buffer = self._buffer, ""
        self.consumed_bytes -= _utf8_bytes(buffer)
        return buffer

    def take_bytes(self, data: bytes) -> int:
        """Take the threads at the beginning of undecoded text, up to the first odd one; gives their bytes.

        Most of a large dump is taken in this way, in half the time that decoded text takes.
        """
        # Here, not above: small dumps do without.
        from mqdiag.read.stacks.plain_threads import plain_threads

        assert self._sample is not None
        found = plain_threads(data, self.bodies)
        self._sample.threads += found.threads
        self._sample.with_synchronizers |= found.with_synchronizers
        self.consumed_bytes += found.size
        return found.size

    def _open(self, buffer: str, start: int) -> str:
        """Begin a sample; gives what is left of the buffer, from the first block on."""
        self._past_trailer = False
        self._deadlock = []
        line_start = buffer.rfind("\n", 0, start) + 1
        above = buffer[:line_start]
        self._around = self._around.next(
            self._above if self._above.endswith(above) else above, buffer[line_start:start]
        )
        begins_inside = _ends_in_stack(self._above if self._above.endswith(above) else above)
        self._above = ""
        if buffer.startswith(patterns.DUMP_MARK, start):
            line_end = buffer.find("\n", start)
            line = buffer[start:] if line_end < 0 else buffer[start:line_end]
            named = patterns.JVM_LINE.match(line)
            jvm = named[1].strip() if named else None
            of_hp = patterns.JVM_OF_HP.fullmatch(jvm) if jvm else None
            self._sample = Sample(source=self.source, format="jstack", jvm=of_hp["jvm"] if of_hp else jvm)
            for above in buffer[max(0, start - HEAD_LINES) : start].split("\n")[-5:]:
                date = patterns.DATE_LINE.search(above)
                pid = patterns.PID_LINE.match(above)
                if date and not self._begins_in_name and not above.startswith('"'):
                    self._sample.captured_local = date[1].replace("T", " ").replace(",", ".")
                elif pid:
                    self._sample.pid = int(pid[1])
            return buffer[line_end + 1 :] if line_end >= 0 else ""
        sample = self._open_headless()
        if begins_inside:
            sample.complete = False
            sample.problem = say("it begins in the middle of a thread: what stood above is missing")
        return buffer[start:]

    def _open_headless(self) -> Sample:
        self._sample = Sample(source=self.source, format="jstack", headless=True)
        self._seen = set()
        return self._sample

    def _end(self, *, at_end: bool = False) -> list[Sample]:
        """End the open sample; gives it behind those that have ended before it."""
        ended = [*self._ended, self._close(at_end=at_end)]
        self._ended = []
        return ended

    def _close(self, *, at_end: bool = False) -> Sample:
        """End the open sample."""
        sample = self._sample
        assert sample is not None
        self._end_deadlock()
        if sample.headless:
            self._add_deadlocked(sample)
        sample.pasted = self._around.reason(sample.captured_local)
        sample.may_be_pasted = self._around.doubt(sample.threads)
        self._sample = None
        sample.contradictory = is_of_two_processes(sample)
        sample.mixed = mixed(sample)
        begins_whole = bool(sample.threads) and sample.threads[0].name in patterns.FIRST_THREADS
        # JMX tools write no trailer
        jmx = bool(sample.threads) and all(thread.tid is None for thread in sample.threads)
        sample.is_part = sample.headless and not jmx and not (begins_whole and self._past_trailer)
        ends_without = jmx or (sample.jvm is not None and patterns.OLD_JVM.search(sample.jvm) is not None)
        if not self._past_trailer and not sample.headless and not ends_without:
            sample.complete = False
            sample.stopped_at_byte = self.consumed_bytes
            sample.problem = (
                say("the file ends before the last line of the dump (JNI global refs)")
                if at_end
                else say("the next dump begins before the last line of this one (JNI global refs)")
            )
        elif sample.listed_threads is not None:
            read = sum(1 for thread in sample.threads if thread.java_id is not None)
            if read < sample.listed_threads:
                sample.complete = False
                sample.stopped_at_byte = self.consumed_bytes
                sample.problem = say(
                    "the JVM lists {listed:count} {listed:thread|threads}, {read:count} of them {read:is|are} there",
                    listed=sample.listed_threads,
                    read=read,
                )
        if sample.contradictory:
            sample.complete, sample.problem = False, TWO_PROCESSES
        return sample

    def _blocks(self, text: str, *, final: bool) -> str:
        """Read whole blocks; gives the text of the last one, which may go on, unless this is the end."""
        if patterns.JNI_MARK in text:
            # wherever it stands: a collector that drops blank lines glues the trailer to the last thread
            self._past_trailer = True
        pieces = ("\n" + text).split('\n"')
        first = pieces[0]
        rest = ""
        if not final:
            rest = pieces.pop()
            if not pieces:
                # no block begins here at all
                return self._between(rest, keep=True)
        self._between(first if len(pieces) else "", keep=False)
        index = 1
        count = len(pieces)
        while index < count:
            piece = pieces[index]
            index += 1
            end = piece.find("\n")
            header = piece if end < 0 else piece[:end]
            thread = parse_header(header)
            body = "" if end < 0 else piece[end + 1 :]
            if thread is None or thread_info.is_viewers(thread):
                told = thread_info.as_jstack(header, body)
                if told is None:
                    taken = self._odd_block(piece, pieces[index : index + NAME_LINES])
                    index += taken
                    continue
                thread, body = told
            else:
                body = thread_info.with_state(header, body)
            self._thread(thread, body)
        if final:
            return ""
        if len(rest) > (MAX_TAIL if self._past_trailer else MAX_BLOCK):
            # a block of this size is no thread: read its beginning, pass over the rest
            end = rest.find("\n")
            thread = parse_header(rest[:end]) if end >= 0 else None
            if thread is not None:
                self._thread(thread, rest[end + 1 :])
            return ""
        return '"' + rest

    def _thread(self, thread: ThreadRecord, body: str) -> None:
        sample = self._sample
        assert sample is not None
        if sample.headless and thread.java_id is not None:
            key = (thread.name, thread.java_id)
            if key in self._seen:
                # no JVM has two threads of one id: the next paste begins here
                self._ended.append(self._close())
                sample = self._open_headless()
            self._seen.add(key)
        if body:
            block = self.bodies.parse_block(body)
            if block.stack is not None:
                thread.stack, thread.addresses = block.stack, block.addresses
            sample.with_synchronizers = sample.with_synchronizers or block.with_synchronizers
            gap = block.gap
            # more states than the one of this thread: others stand there whose headers are missing
            own = block.stack is not None and bool(block.stack.state)
            sample.unknown_headers += max(body.count(patterns.STATE_MARK) - own, 0)
        else:
            gap = ""
        sample.threads.append(thread)
        if gap and not gap.isspace():
            self._between(gap, keep=False)

    def _between(self, text: str, *, keep: bool) -> str:
        """Lines that belong to no thread: SMR list, trailer, deadlock section, log lines of others."""
        sample = self._sample
        assert sample is not None
        if sample.listed_threads is None and patterns.SMR_MARK in text:
            length = patterns.SMR_LENGTH.search(text)
            sample.listed_threads = int(length[1]) if length else None
            listed = patterns.SMR_ELEMENTS.search(text)
            if listed is not None and len(listed[1]) <= LONGEST_LIST:
                sample.listed = frozenset(int(one, 16) for one in patterns.SMR_ELEMENT.findall(listed[1]))
        if patterns.DEADLOCK_MARK in text:
            self._end_deadlock()
        self._around.look_behind(text)
        return text[-HEAD_LINES:] if keep else ""

    def _odd_block(self, piece: str, following: list[str]) -> int:
        """A quoted line that is no header: the deadlock section, or a name with line breaks.

        Gives how many of the following pieces belong to it.
        """
        end = piece.find("\n")
        first = piece if end < 0 else piece[:end]
        named = patterns.DEADLOCK_NAME.match(first)
        if named:
            self._deadlock_entry(named["name"], piece)
            self._between(piece, keep=False)
            return 0
        if patterns.HEADER_LIKE.match(first):
            assert self._sample is not None
            self._sample.unknown_headers += 1
            self._between(piece, keep=False)
            return 0
        joined = piece
        for taken in range(len(following) + 1):
            if taken:
                joined += '\n"' + following[taken - 1]
            lines = joined.split("\n", NAME_LINES)
            for count in range(2, min(len(lines), NAME_LINES) + 1):
                header = lines[count - 1]
                if is_header(header):
                    thread = parse_header("\n".join(lines[:count]))
                    if thread is not None:
                        self._thread(thread, "\n".join(lines[count:]))
                    return taken
                if header.lstrip().startswith(patterns.STATE_MARK):
                    break
        self._between(piece, keep=False)
        return 0

    def _deadlock_entry(self, name: str, piece: str) -> None:
        """One thread of the JVM's deadlock section, or of the stack repetition below it."""
        held = patterns.HELD_BY.search(piece.split("\n\n", 1)[0].rstrip())
        if held is None:
            # "Java stack information for the threads listed above"
            self._end_deadlock()
            self._shown_by_deadlock(name, piece)
            return
        pair = (name, held["name"])
        if self._deadlock and self._deadlock[-1][1] != name:
            self._end_deadlock()
        self._deadlock.append(pair)

    def _shown_by_deadlock(self, name: str, piece: str) -> None:
        """The frames of a deadlocked thread; they are known already unless only the section was pasted."""
        sample = self._sample
        assert sample is not None
        body = piece.partition("\n")[2]
        if patterns.FRAME_LINE.match(body) and all(thread.name != name for thread in sample.threads):
            self._thread(*thread_info.of_deadlock(name, body))

    def _add_deadlocked(self, sample: Sample) -> None:
        """The deadlocked threads whose stacks were not pasted."""
        there = {thread.name for thread in sample.threads}
        names = dict.fromkeys(name for cycle in sample.deadlocks for pair in cycle for name in pair)
        for name in names:
            if name not in there:
                self._thread(*thread_info.of_deadlock(name, ""))

    def _end_deadlock(self) -> None:
        if self._deadlock and self._sample is not None:
            cycle = tuple(self._deadlock)
            if cycle not in self._sample.deadlocks:
                self._sample.deadlocks.append(cycle)
        self._deadlock = []


def _utf8_bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode(errors="replace"))


def _ends_in_name(above: str) -> bool:
    """Whether a text ends within the name of a thread, so that what follows may be a part of it too."""
    _, quote, name = f"\n{above}".rpartition('\n"')
    return bool(quote) and '"' not in name and name.count("\n") <= NAME_LINES


def _ends_in_stack(above: str) -> bool:
    """Whether the text above the first thread is the rest of another one."""
    lines = above.rstrip().rsplit("\n", 1)
    return bool(lines[-1]) and patterns.OF_STACK.match(lines[-1]) is not None
