"""Takes off what stands before each line of a dump, where the beginning of its file did not show it.

`healing.py` undoes what a sample of the beginning shows. Here the line of a dump's first mark tells, wherever it is:
of a prefix that only a logger of its own writes, and of a dump that somebody pasted into a log.
"""

from __future__ import annotations

import re

from mqdiag.read.healing import MAX_LEVELS, Halved
from mqdiag.read.stacks import patterns, thread_info
from mqdiag.read.stacks.header import is_header
from mqdiag.read.stacks.pasted import records_of
from mqdiag.read.stacks.wrapped import Joined, wrapped_at
from mqdiag.read.wrappers import CRI, CRI_PART, QUOTED, JsonLines, Prefix, Strip

HEAD_BEFORE = 4_000
"""characters before a piece that are looked at with it"""
SPACING_CHARACTERS = 20_000
"""behind the first line of state in which blank lines are counted"""
SPACING_LINES = 9
"""lines that show whether every other one is blank; a dump has no such run, as each thread has a state or frames"""
BEFORE_STATE = "   "
"""what a JVM prints before a line of state"""
_FENCES = ("```", "~~~")
"""what begins and ends a block of text in a page"""
_MARKS = (patterns.DUMP_MARK, patterns.STATE_MARK, patterns.DEADLOCK_MARK)


class Unwrapper:
    """Passes text through until a mark shows a wrapper, from then on takes it off.

    What has a prefix that the lines of the log around it lack comes out apart, for nobody but its writer put it there.
    """

    def __init__(self) -> None:
        self._strip: list[Strip] | None = None
        self._apart: re.Pattern[str] | None = None
        """the prefix of the lines that come out apart"""
        self._begun = False
        self._listed = False
        """blanks or the signs of a list stand before the headers alone"""
        self._fence = ""
        """blanks before the fence of the block in which the text is"""
        self._above = ""
        """the end of the piece before"""
        self.name = "plain"
        self.pasted = ""
        """what came out apart of the last piece"""

    @property
    def is_plain(self) -> bool:
        """Whether a mark has shown that there is no wrapper."""
        return self._strip == [] and self._apart is None and not self._listed

    def push(self, piece: str) -> str:
        """A piece of text, ending at a line end, without its wrapper."""
        if not self._begun:
            piece = _with_opening_quote(piece)
            self._begun = True
        # one character is found ten times as fast as two
        if '> "' in piece or ("`" in piece and '`"' in piece):
            piece = patterns.SIGNS_BEFORE_HEADER.sub("", piece)
        self._listed = self._listed or _is_listed(piece)
        if self._listed:
            piece = _unlisted(piece)
        if self._strip is None:
            marked = _marked_line(piece)
            if marked is None:
                self._above = piece[-HEAD_BEFORE:]
                return piece
            self._strip = self._recognise(*marked, piece)
            # what a log driver wrote around the lines makes them alike in length too
            columns = None if self._strip or self._apart else wrapped_at(piece)
            if columns is not None:
                self._strip.append(Joined(columns))
                self.name = "wrapped"
            if _is_doubled(piece):
                self._strip.insert(0, Halved())
                self.name = "double-spaced" if self.name == "plain" else f"double-spaced+{self.name}"
        for strip in self._strip:
            piece = strip(piece)
        if self.is_plain and (self._fence or any(fence in piece for fence in _FENCES)):
            piece = self._flush(piece)
        return piece if self._apart is None else self._parted(piece, self._apart)

    def _flush(self, piece: str) -> str:
        """The text with blocks of the items of a list as far left as blocks of no list."""
        lines: list[str] = []
        for line in piece.splitlines(keepends=True):
            own = line.removeprefix(self._fence)
            if own.startswith(_FENCES):
                self._fence = ""
            elif not self._fence and line.lstrip(" \t").startswith(_FENCES):
                self._fence = line[: len(line) - len(line.lstrip(" \t"))]
                own = line.removeprefix(self._fence)
            lines.append(own)
        return "".join(lines)

    def _parted(self, piece: str, prefix: re.Pattern[str]) -> str:
        """The lines without a prefix; those with it are kept apart, without it."""
        own: list[str] = []
        pasted: list[str] = []
        for line in piece.splitlines(keepends=True):
            found = prefix.match(line)
            if found is None:
                own.append(line)
            else:
                pasted.append(line[found.end() :] or "\n")
        self.pasted = "".join(pasted)
        return "".join(own)

    def _recognise(self, line: str, mark: str, piece: str) -> list[Strip]:
        levels: list[Strip] = []
        names: list[str] = []
        around = self._above + piece
        records: list[str] | None = None
        # looked for only where something stands before the dump
        for _ in range(MAX_LEVELS):
            before = line[: line.find(mark)]
            if not before.strip(" \t"):
                # a line of state is indented in every dump, the threads' headers are not
                blanks = _indentation(around) if mark == patterns.STATE_MARK else before
                if blanks and records is None:
                    records = records_of(around)
                if records is not None and blanks and not all(record.startswith(blanks) for record in records):
                    self._apart = re.compile(re.escape(blanks))
                    names.append("pasted")
                elif blanks:
                    levels.append(_Literal(blanks))
                    names.append("indented")
                break
            strip, name, prefix = _strip_for(line, before)
            if prefix is not None:
                if not _goes_on(prefix, around, line):
                    break  # words of one line
                records = records_of(around) if records is None else records
                matches = [prefix.match(record) for record in records]
                if before.startswith(QUOTED) or not all(matches):
                    # no container put there what the lines of the log lack
                    self._apart = prefix
                    names.append("pasted")
                    break
                records = [
                    record[found.end() :] for record, found in zip(records, matches, strict=True) if found
                ]
            # tried on text of its own: a strip keeps the parts of a cut line
            stripped = _strip_for(line, before)[0](line + "\n").rstrip("\n")
            levels.append(strip)
            names.append(name)
            around = _strip_for(line, before)[0](around)
            if prefix is None:
                records = None
            if stripped == line or mark not in stripped:
                break
            line = next(one for one in stripped.split("\n") if mark in one)
        if not names and mark == patterns.DUMP_MARK and (blanks := _indentation(piece[piece.find(mark) :])):
            # the dump's first line alone is not indented
            levels.append(_Literal(blanks))
            names.append("indented")
        self.name = "+".join(names) or "plain"
        return levels


def _with_opening_quote(text: str) -> str:
    """The text with the opening quote of its first thread's name, which is easily missed when one copies."""
    found = patterns.FIRST_HEADER.match(text)
    if found is None or not (is_header(found["header"]) or thread_info.begins(found["header"])):
        return text
    return f'{found["blank"]}"{text[found.start("header") :]}'


def _marked_line(piece: str) -> tuple[str, str] | None:
    """The line of the first mark, and the mark."""
    found = [(at, mark) for mark in _MARKS if (at := piece.find(mark)) >= 0]
    tool = patterns.INFO_ATTRIBUTES.search(piece) is not None
    thread = patterns.INFO_THREAD.search(piece) if tool else None
    if thread is not None:
        found.append((thread.start("thread"), thread["thread"]))
    if not found:
        return None
    at, mark = min(found)
    start = piece.rfind("\n", 0, at) + 1
    end = piece.find("\n", at)
    return piece[start : end if end >= 0 else len(piece)], mark


def _is_listed(piece: str) -> bool:
    """Whether blanks or the signs of a list stand before a thread's header, and not before its line of state."""
    if patterns.STATE_MARK not in piece or not any(f'{sign}"' in piece for sign in " \t"):
        return False
    return any(
        found["signs"]
        and is_header(found["header"])
        and (found["below"] == BEFORE_STATE or not found["below"].startswith(found["signs"]))
        for found in patterns.SIGNED_HEADER.finditer(piece)
    )


def _unlisted(piece: str) -> str:
    """The piece with the names of threads and of the deadlock section at the beginning of their lines."""
    deadlock = patterns.DEADLOCK_MARK in piece

    def bare(found: re.Match[str]) -> str:
        header = found["header"]
        is_name = is_header(header) or (deadlock and patterns.DEADLOCK_NAME.match(header))
        return "" if is_name else found[0]

    return patterns.SIGNS_OF_LIST.sub(bare, piece)


def _is_doubled(piece: str) -> bool:
    """Whether a blank line follows each line, as some mail programs and terminals copy text."""
    at = piece.find(patterns.STATE_MARK)
    shown = piece[at : at + SPACING_CHARACTERS].split("\n")[1:-1] if at >= 0 else []
    return len(shown) >= SPACING_LINES and not any(line.strip() for line in shown[::2])


def _indentation(piece: str) -> str:
    """The blanks before the header of the first thread."""
    found = patterns.INDENTED_HEADER.search(piece)
    return found["blanks"] if found is not None else ""


def _strip_for(line: str, before: str) -> tuple[Strip, str, re.Pattern[str] | None]:
    """What takes a wrapper off, its name, and the pattern of a prefix."""
    if patterns.DOCKER_JSON.match(line) or (line.startswith("{") and line.rstrip().endswith("}")):
        return JsonLines(), "json-lines", None
    if CRI.match(line):
        return Prefix(CRI, CRI_PART), "cri", CRI
    for prefix in patterns.LINE_PREFIXES:
        found = prefix.match(line)
        if found and found.end() <= len(before):
            return Prefix(prefix), "prefix", prefix
    if before.startswith(QUOTED):
        quoted = re.compile(re.escape(QUOTED))
        return Prefix(quoted), "quoted", quoted
    # an unknown logger's prefix: its digits change from line to line, the rest does not
    learned = re.sub(r"\d+", lambda _: r"\d+", re.escape(before).replace("\\ ", " +"))
    learned = re.sub(r"(?: \+)+", " *", learned)
    pattern = re.compile("^" + re.sub(r"\\d\+(?:\\?[.,]\\d\+)*", r"[\\d.,]+", learned))
    return Prefix(pattern), "learned", pattern


def _goes_on(prefix: re.Pattern[str], text: str, line: str) -> bool:
    """Whether a prefix stands before the line behind a marked one too; at the end of a text nobody knows."""
    behind = text[text.find(line) + len(line) :].split("\n", 3)[1:3]
    return not any(map(str.strip, behind)) or any(prefix.match(one) for one in behind)


class _Literal:
    """The same blanks before every line."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    def __call__(self, piece: str) -> str:
        size = len(self._prefix)
        return "\n".join(line[size:] if line.startswith(self._prefix) else line for line in piece.split("\n"))
