"""The heap dump in a packed file, unpacked once: in one stream, or the JVM's own many-member gzip on all cores.

`jcmd GC.heap_dump -gz` and `-XX:HeapDumpGzipLevel` write one member for each block of the dump and note the block
size in the comment of the first ("HPROF BLOCKSIZE=1048576", JDK heapDumperCompression.cpp).
"""

from __future__ import annotations

import errno
import mmap
import os
import re
import resource
import tempfile
from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from typing import NamedTuple, Protocol, cast

import numpy as np
from isal import igzip_lib, isal_zlib
from numpy.typing import NDArray

from mqdiag.errors import TAKES_ANY, InputError
from mqdiag.files import RESERVE_BYTES, fits, free_bytes
from mqdiag.progress import Progress
from mqdiag.read.available_memory import available_bytes
from mqdiag.read.cores import LEAST_BYTES, pool, worker_count
from mqdiag.read.mapping import map_file
from mqdiag.read.open.door import members
from mqdiag.read.open.limits import DumpLimits, TooMuchError
from mqdiag.read.sniff import DUMP_MAGIC, PACKING_NAMES, packing_of
from mqdiag.text import Text, say

_Damaged = cast("type[Exception]", igzip_lib.IsalError)  # its stub calls the class an instance
_CHUNK = 1 << 20
_STEP = 4 << 20
_PIECES_BEHIND = 4
_GZIP = 31  # zlib window bits for a gzip header and trailer
_BLOCK_SIZE = re.compile(rb"HPROF BLOCKSIZE=(\d+)\0")
_MAX_BLOCK = 256 << 20
_MEMORY_SHARE = 0.4  # of what is available; beyond it the data goes to a temporary file
_UNKNOWN_MEMORY_BYTES = 4 << 30  # taken for available where nothing tells


class Inflated(NamedTuple):
    """What came out of a packed file."""

    data: NDArray[np.uint8]
    """read-only"""
    compression: str
    """how it is packed; "gzip-members" when it has many members, as the JVM writes them"""
    problem: Text | None
    """why the data ends early"""


class Sink(Protocol):
    """Where inflated bytes go."""

    def expect(self, size: int) -> None:
        """Hear how many bytes are to come in all, as the ratio so far says."""

    def write(self, piece: bytes) -> None:
        """Take the next bytes."""


class _Spool:
    """Where inflated bytes go: memory first, a nameless temporary file when they are many."""

    def __init__(self, path: str, *, in_memory: bool) -> None:
        self._path = path
        self._expected = 0
        self._room = _most_in_memory() if in_memory else 0
        self._fd = os.memfd_create("mqdiag")
        self._on_disk = False
        self.size = 0

    def expect(self, size: int) -> None:
        """About so many bytes are to come in all, as the ratio so far says."""
        self._expected = size

    def write(self, piece: bytes) -> None:
        if not self._on_disk and self.size + len(piece) > self._room:
            self._move_to_disk()
        try:
            view = memoryview(piece)
            while view:
                view = view[os.write(self._fd, view) :]
        except OSError as error:
            if error.errno == errno.EFBIG:
                raise self._file_too_large() from None
            raise self._no_room(error.strerror or str(error)) from None
        self.size += len(piece)

    def _move_to_disk(self) -> None:
        folder = tempfile.gettempdir()
        needed = max(self.size, self._expected)
        if not fits(folder, needed):
            raise self._no_room(
                say(
                    "about {needed:bytes} are needed, {folder} has {free:bytes} free",
                    needed=needed + RESERVE_BYTES,
                    folder=folder,
                    free=free_bytes(folder),
                )
            )
        descriptor, name = tempfile.mkstemp(prefix="mqdiag-")
        os.unlink(name)
        done = 0
        while done < self.size:
            sent = os.sendfile(descriptor, self._fd, done, min(self.size - done, 1 << 30))
            if sent == 0:
                raise self._no_room(say("the temporary file could not be filled"))
            done += sent
        os.close(self._fd)
        self._fd = descriptor
        self._on_disk = True

    def _file_too_large(self) -> InputError:
        """The limit is of the process (`RLIMIT_FSIZE`): more room on a disk would not help."""
        limit, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
        return InputError(
            self._path,
            say("inflates to more than {limit:bytes}, the limit of this process for one file", limit=limit),
            hint=say("raise the limit: --max-input of mqdiag fleet, ulimit -f of a shell"),
            lack="too-large",
        )

    def _no_room(self, why: Text | str) -> InputError:
        return InputError(
            self._path,
            say(
                "there is no room for the inflated data, {size:bytes} so far: {why}",
                size=self.size,
                why=why,
            ),
            hint=say("set TMPDIR to a folder with room, or inflate the file elsewhere"),
            lack="no-room",
        )

    def descriptor(self) -> int:
        """The file itself; the caller closes it."""
        return self._fd

    def array(self) -> NDArray[np.uint8]:
        """The bytes, read-only."""
        if self.size == 0:
            return _read_only(np.empty(0, np.uint8))
        mapped = mmap.mmap(self._fd, self.size, prot=mmap.PROT_READ)
        os.close(self._fd)
        return np.frombuffer(mapped, np.uint8)


class _BackgroundWriter:
    """Writes to a sink a few pieces behind the inflating, on another core. Errors come with a later piece."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._pool = ThreadPoolExecutor(1)
        self._pending: deque[Future[None]] = deque()
        self.size = 0
        """bytes handed over"""

    def write(self, piece: bytes) -> None:
        while len(self._pending) >= _PIECES_BEHIND:
            self._pending.popleft().result()
        self.size += len(piece)
        self._pending.append(self._pool.submit(self._sink.write, piece))

    def wait(self) -> None:
        """Until all is written."""
        while self._pending:
            self._pending.popleft().result()

    def close(self) -> None:
        self._pool.shutdown()


def is_of_members(head: bytes) -> bool:
    """Whether a gzip file that begins like this has a member for each block, which inflate side by side."""
    return _member_bytes(head) > 0


def _member_bytes(head: bytes) -> int:
    """To how many bytes each member inflates but the last; 0 for a usual gzip file."""
    block = _BLOCK_SIZE.search(head)
    return int(block[1]) if block and int(block[1]) <= _MAX_BLOCK else 0


def inflate(path: str, progress: Progress, max_bytes: int | None = None) -> Inflated:
    """Unpack the heap dump of a packed file.

    Of a squeezed file that holds no dump only the beginning comes: enough to say what it is.

    Args:
        path: the file.
        progress: told of the share done.
        max_bytes: unpack no further than that; see `DumpLimits`.

    Raises:
        InputError: nothing at all could be unpacked, there is no room, or an archive holds no dump or several. What
            comes before damage is kept, and the source's `problem` says what stopped it.
    """
    progress.phase(say("inflating"))
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        head = file.read(_CHUNK >> 8)
        block = _member_bytes(head)
        if block:
            raw = np.frombuffer(map_file(file.fileno(), size, path), np.uint8)
            of_members = _inflate_members(raw, block, DumpLimits(size, max_bytes).most_bytes, progress)
            if of_members is not None:
                return of_members
    packing = packing_of(head)
    assert packing is not None
    spool, problem = _inflate_stream(path, progress, max_bytes, in_memory=True)
    return Inflated(spool.array(), PACKING_NAMES[packing], problem)


def inflate_to_disk(path: str, progress: Progress, max_bytes: int | None = None) -> tuple[int, Text | None]:
    """Unpack into a nameless temporary file, for work that must not take memory.

    Args and raised errors as for `inflate`.

    Returns:
        (its descriptor, which the caller closes; what stopped the unpacking early).
    """
    progress.phase(say("inflating"))
    spool, problem = _inflate_stream(path, progress, max_bytes, in_memory=False)
    return spool.descriptor(), problem


def _inflate_stream(
    path: str, progress: Progress, max_bytes: int | None, *, in_memory: bool
) -> tuple[_Spool, Text | None]:
    """(what one stream after the other unpacks to, why it ends early)."""
    spool = _Spool(path, in_memory=in_memory)
    problem = fill(spool, path, progress, max_bytes)
    if spool.size == 0:
        raise InputError(
            path,
            say("nothing could be inflated: {problem}", problem=problem or say("the stream holds no data")),
            hint=say("compare its size and checksum with the original and copy it again"),
            offset=0,
        )
    return spool, problem


def fill(sink: Sink, path: str, progress: Progress, max_bytes: int | None = None) -> Text | None:
    """Unpack the dump of a file; gives why it ends early. The sink is written to by another thread.

    Args and raised errors as for `inflate`.
    """
    size = os.stat(path).st_size
    limits = DumpLimits(size, max_bytes)
    writer = _BackgroundWriter(sink)
    problem = None
    try:
        with closing(_dump_in(path, limits)) as pieces:
            while True:
                try:
                    piece = next(pieces, b"")
                except (TooMuchError, _NoDumpError):
                    raise
                except InputError as error:
                    problem = error.problem
                    break
                if not piece:
                    break
                writer.write(piece)
                if limits.read_bytes:
                    sink.expect(writer.size * size // limits.read_bytes)
                    progress.advance(min(limits.read_bytes / size, 1.0))
        writer.wait()
        return problem
    finally:
        writer.close()


class _NoDumpError(InputError):
    """An archive has not the one dump that is asked for."""


def _dump_in(path: str, limits: DumpLimits) -> Generator[bytes, None, None]:
    """The pieces of the only dump in a packed file; of a squeezed file that is none, the first piece."""
    label = None
    found = members(path, limits, chunk_bytes=_CHUNK, step_bytes=_STEP, wanted=lambda _: True)
    for name, chunks in found:
        try:
            first = next(chunks, b"")
        except TooMuchError:
            raise
        except InputError:
            if name == path:
                raise
            continue
        is_dump = first.startswith(DUMP_MAGIC)
        if not is_dump and name == path and len(first) >= len(DUMP_MAGIC):
            yield first
            return
        if not is_dump and name != path:
            continue
        if label is not None:
            raise _NoDumpError(
                path,
                say("holds several heap dumps, {first} and {second}", first=label, second=name),
                hint=say("unpack the one to look at; mqdiag diagnose reads all of them"),
            )
        label = name
        yield first
        yield from chunks
    if label is None:
        raise _NoDumpError(path, say("holds no heap dump"), hint=TAKES_ANY)


def _inflate_members(raw: NDArray[np.uint8], block: int, limit: int, progress: Progress) -> Inflated | None:
    """Inflate members side by side; None when the file is not laid out as the JVM does it."""
    starts = list(_member_starts(raw))
    total = len(starts) * block
    if total > min(_most_in_memory(), limit):
        return None  # one stream, which can go to disk
    mapped = mmap.mmap(-1, max(total, 1))
    out = np.frombuffer(mapped, np.uint8)
    ends = [*starts[1:], raw.size]

    def one(i: int) -> int:
        expander = isal_zlib.decompressobj(_GZIP)
        piece = expander.decompress(raw[starts[i] : ends[i]], block + 1)
        if not expander.eof or len(piece) > block or (i + 1 < len(starts) and len(piece) != block):
            return -1
        out[i * block : i * block + len(piece)] = np.frombuffer(piece, np.uint8)
        return len(piece)

    last = 0
    with pool(worker_count(), is_large=total >= LEAST_BYTES) as threads:
        try:
            for i, length in enumerate(threads.map(one, range(len(starts)))):
                if length < 0:
                    threads.shutdown(cancel_futures=True)
                    return None  # a false start or damage: the one stream decides which
                last = length
                progress.advance((i + 1) / len(starts))
        except _Damaged:
            return None
    data = _read_only(out[: total - block + last])
    return Inflated(data, "gzip-members", None)


def _member_starts(raw: NDArray[np.uint8]) -> Iterator[int]:
    """Where the ten bytes stand that begin every member after the first, which has a comment besides."""
    yield 0
    data = raw.data
    pattern = re.compile(rb"\x1f\x8b\x08\x00\x00\x00\x00\x00[\x00\x02\x04][\x00\x03\xff]")
    for found in pattern.finditer(data):
        if found.start():
            yield found.start()


def _read_only(data: NDArray[np.uint8]) -> NDArray[np.uint8]:
    # The kernels are compiled for read-only arrays, which is another type to them.
    data.flags.writeable = False
    return data


def _most_in_memory() -> int:
    """Bytes that inflated data may take in memory; the rest goes to the disk."""
    available = available_bytes()
    return int((_UNKNOWN_MEMORY_BYTES if available is None else available) * _MEMORY_SHARE)
