"""Reads several files at once, each in a process of its own.

A worker is a new interpreter that calls one function with one file after the other. `os.fork` would copy locks that
other threads hold, and the start methods of `multiprocessing` that avoid it run the caller's program again.
"""

from __future__ import annotations

import os
import select
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, Any

import msgspec

from mqdiag.errors import InputError
from mqdiag.files import opens_elsewhere
from mqdiag.process_use import used
from mqdiag.text import Text, say

if TYPE_CHECKING:
    import subprocess
    from queue import SimpleQueue

BYTES_FOR_A_WORKER = 12 << 20
"""bytes of logs or dumps that take longer to read than a worker takes to start: less is read sooner by one process"""
LOOK_S = 0.2
"""time between two looks at a worker that may have to be ended"""
STEP_S = 0.02
"""time between two steps that a worker tells of: each waits for an answer"""
_START = (
    # as for the command: many objects are made, and hardly any cycles
    "import gc, json, sys; gc.set_threshold(200_000); sys.path[:] = json.loads(sys.argv[1]);"
    " from {module} import serve; serve(*sys.argv[2:])"
)

_ahead: list[_Worker] = []
"""workers that were started before there was a file for them"""
Step = Callable[[], None]
"""what a reader calls now and then; it raises InputError if reading is to end"""


class Died(msgspec.Struct, frozen=True):
    """A worker ended while it read a file."""

    reason: Text
    code: int
    """exit code; minus the number of the signal that ended it"""


def started(module: str, *words: str) -> subprocess.Popen[bytes]:
    """A new interpreter that calls `serve` of a module with some words; it is spoken to by standard input and output.

    Raises:
        OSError: this user may start no process, or there is no memory for it.
    """
    import json
    import subprocess
    import sys

    # "-I" and the path of this process: modules of the working folder, which is often the folder of the evidence, are
    # not imported. A session of its own keeps Ctrl-C for this process, which then ends the worker.
    return subprocess.Popen(
        [sys.executable, "-I", "-c", _START.format(module=module), json.dumps(sys.path), *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def usable_processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0))


def read_in_workers(
    function: str,
    files: Sequence[tuple[Any, ...]],
    sizes: Sequence[int],
    jobs: int,
    advance: Callable[[float], None],
    least_bytes: int | None = None,
) -> dict[int, Any]:
    """What a function makes of each file, by the place of the file; the largest file is read first.

    A place is missing if the file is better read by the caller: if there is too little to read, if another process
    cannot open the file, if no process can be started, or if the function raised an exception, which the caller then
    meets itself. If a worker ended while it read the file, the value is `Died`.

    Args:
        function: "module.name"; it is called with the words of a file and a `Step`.
        files: for each file its path and what else the function takes.
        sizes: bytes of each, unpacked or a guess of that.
        jobs: the most workers at once.
        advance: hears the share that is done; if it raises InputError, the readers end as if their step had raised it.
            Any other exception of it ends the reading and is raised here.
        least_bytes: for which one more worker is worth its start, where that is not `BYTES_FOR_A_WORKER`.
    """
    places = [place for place, (path, *_) in enumerate(files) if sizes[place] and opens_elsewhere(path)]
    total = sum(sizes[place] for place in places)
    count = min(jobs, len(places), total // (least_bytes or BYTES_FOR_A_WORKER))
    if count < 2:
        return {}
    places.sort(key=lambda place: -sizes[place])
    return _Run(function, files, sizes, places, advance).results(count)


@contextmanager
def workers_ahead(count: int, function: str) -> Iterator[None]:
    """Have workers start while the caller finds out what there is to read; those that nobody took end with the block.

    Args:
        count: of workers; fewer start where this user may start no more processes.
        function: "module.name", which they call meanwhile; it makes what they will need, and takes nothing.
    """
    own: list[_Worker] = []
    try:
        with suppress(OSError):
            while len(own) < count:
                own.append(_Worker(function))
        _ahead.extend(own)
        yield
    finally:
        for worker in own:
            with suppress(ValueError):
                _ahead.remove(worker)
                worker.close()


def called_in_worker(function: str, words: tuple[Any, ...], check: Step) -> Any:
    """What a function returns in a process of its own, for work that only the end of a process can stop.

    Args:
        function: "module.name"; it is called with the words and a `Step`.
        words: its arguments.
        check: called every `LOOK_S`; if it raises an exception, the process is ended and the exception goes on.

    Returns:
        what the function returns; None if it raised an exception, `Died` if the process ended.

    Raises:
        OSError: no process can be started.
    """
    worker = _Worker()
    try:
        return worker.answer((function, words), check, look=check)
    finally:
        worker.close()


class _Run:
    """Several workers that share one list of files."""

    def __init__(
        self,
        function: str,
        files: Sequence[tuple[Any, ...]],
        sizes: Sequence[int],
        places: Sequence[int],
        advance: Callable[[float], None],
    ) -> None:
        from queue import SimpleQueue

        self._function, self._files, self._sizes, self._advance = function, files, sizes, advance
        self._total = sum(sizes[place] for place in places)
        self._done = 0
        self._ahead: SimpleQueue[int] = SimpleQueue()
        for place in places:
            self._ahead.put(place)
        self._found: dict[int, Any] = {}
        self._workers: list[_Worker] = []
        self._lock = threading.Lock()
        self._ended = False
        self._error: Exception | None = None

    def results(self, count: int) -> dict[int, Any]:
        """Run so many workers until all files are read."""
        threads: list[threading.Thread] = []
        try:
            for _ in range(count):
                thread = threading.Thread(target=self._feed, name="mqdiag-worker")
                try:
                    thread.start()
                except RuntimeError:
                    break  # this user may start no more threads: those that run read all, or the caller does
                threads.append(thread)
            for thread in threads:
                thread.join()
        finally:
            # after Ctrl-C too, which only this process gets
            with self._lock:
                self._ended = True
                for worker in self._workers:
                    worker.kill()
            for thread in threads:
                thread.join()
        if self._error is not None:
            raise self._error
        return self._found

    def _feed(self) -> None:
        """Give one worker file after file; another one takes its place when it has died."""
        worker: _Worker | None = None
        try:
            for place in self._places():
                worker = worker or self._started()
                if worker is None:
                    return  # this user may start no process, or has no memory for it: the caller reads the rest
                answer = worker.answer((self._function, self._files[place]), self._refusal)
                if isinstance(answer, Died):
                    worker = None
                if answer is not None:
                    self._found[place] = answer
                with self._lock:
                    self._done += self._sizes[place]
        except Exception as error:
            # of `advance`, which is the caller's: raised there
            self._error, self._ended = error, True
        finally:
            if worker is not None:
                worker.close()

    def _places(self) -> Iterator[int]:
        from queue import Empty

        with suppress(Empty):
            while not self._ended:
                yield self._ahead.get_nowait()

    def _started(self) -> _Worker | None:
        with self._lock:
            if self._ended:
                return None
            try:
                worker = _taken() or _Worker()
            except OSError:
                return None
            self._workers.append(worker)
            return worker

    def _refusal(self) -> InputError | None:
        """Why reading is to end; None while it may go on."""
        try:
            with self._lock:
                self._advance(min(self._done / self._total, 1.0))
        except InputError as error:
            return error
        return None


def _taken() -> _Worker | None:
    """A worker that was started ahead; another run beside this one may take the last."""
    with suppress(IndexError):
        return _ahead.pop()
    return None


def _died(code: int) -> Died:
    if code < 0:
        return Died(say("the process that read it was ended by signal {signal}", signal=-code), code)
    return Died(say("the process that read it ended with exit code {code}", code=code), code)


class _Worker:
    """A process that calls some functions and then reads, as its parent sees it.

    Raises:
        OSError: it cannot be started.
    """

    def __init__(self, *functions: str) -> None:
        self._process = started(__name__, *functions)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to: IO[bytes] = self._process.stdin
        self._from: IO[bytes] = self._process.stdout
        used.begins(self._process.pid)

    def answer(
        self,
        request: tuple[str, tuple[Any, ...]],
        refusal: Callable[[], InputError | None],
        *,
        look: Step | None = None,
    ) -> Any:
        """What a function makes of its words; None if it failed, `Died` if the worker has ended.

        Args:
            request: the function's name and its words.
            refusal: why the work is to end, asked at each step; None while it may go on.
            look: called every `LOOK_S` while the worker says nothing.
        """
        sent: object = request
        # not `select.select`, which refuses descriptors from 1024 on
        poll = select.poll()
        poll.register(self._from, select.POLLIN)
        while True:
            try:
                _dump(sent, self._to)
                while look is not None and not poll.poll(LOOK_S * 1000):
                    look()
                is_step, answer = self._receive()
            except (OSError, EOFError):
                return _died(self.close())
            if not is_step:
                return answer
            sent = refusal()

    def _receive(self) -> tuple[bool, Any]:
        """(whether the worker waits for an answer to a step, else what it has made of the file).

        Raises:
            OSError, EOFError: it has ended.
        """
        import pickle

        try:
            # from our own program, which had only evidence to read
            received: tuple[bool, Any] = pickle.load(self._from)
        except pickle.UnpicklingError as error:
            raise EOFError from error  # it ended while it answered
        return received

    def kill(self) -> None:
        """End the process, whatever it does; the thread that feeds it notices."""
        self._process.kill()

    def close(self) -> int:
        """End the process, if it has not ended by itself, and count what it used; gives its exit code."""
        used.ends(self._process.pid)
        self._process.kill()
        self._process.communicate()
        return self._process.returncode


def serve(*functions: str) -> None:
    """Be a worker: call some functions, then read the files that standard input names, until it ends."""
    import pickle
    import sys

    # what anything prints does not get between the answers
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    requests = sys.stdin.buffer
    for function in functions:
        # what fails here fails again with a file, which the parent then reads itself
        with suppress(Exception):
            _named(function)()
    last_s = 0.0
    refusal: InputError | None = None

    def step() -> None:
        nonlocal last_s, refusal
        if refusal is None and time.monotonic() - last_s >= STEP_S:
            _dump((True, None), answers)
            try:
                refusal = pickle.load(requests)
            except EOFError:
                sys.exit(0)  # the parent is gone
            last_s = time.monotonic()
        if refusal is not None:
            raise refusal

    while True:
        try:
            function, file = pickle.load(requests)
        except EOFError:
            return
        last_s, refusal = 0.0, None
        try:
            answer = _named(function)(*file, step)
        except Exception:
            answer = None  # the parent reads the file itself and meets the same exception
        _dump((False, answer), answers)


def _named(function: str) -> Callable[..., Any]:
    from importlib import import_module

    module, _, name = function.rpartition(".")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found


def _dump(value: object, pipe: IO[bytes]) -> None:
    import pickle

    pickle.dump(value, pipe, pickle.HIGHEST_PROTOCOL)
    pipe.flush()
