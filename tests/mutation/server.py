"""Collects the tests once and tries each mutant in a forked child: a plugin of pytest, `-p tests.mutation.server`.

A child runs the tests that reach the mutant's line, fastest first and by turns of their files, and stops at the first
that fails. What it may use is measured in processor time, as other work on the machine slows it down.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import gc
import importlib
import json
import os
import pkgutil
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import coverage
import pytest

import mqdiag.kernel.call
from mqdiag.kernel import Kernel
from tests.mutation.covered import FIXTURE, PACKAGES, ROOT, cpu_s
from tests.mutation.mutants import Mutant, drawn, mutated, with_keys

CHEAP_S = 0.15
"""tests that cost more come last"""
MOST_BEFORE_NEW = 40
COMPILES_S = 12.0
"""that numba gets for a mutated kernel and those that call it"""
EARLIER = 6
"""turns that a file is ahead which had a killer of a mutant of the same file"""
LEAST_LIMIT_S, TIMES_SLOWER = 5.0, 8.0
"""a test has failed when it takes so much longer than without the mutant"""
STANDS_STILL_S = 90.0
"""without any use of the processor"""
MORE_MEMORY = 10 << 30
"""of addresses, as tests map sparse files of gigabytes"""


class Reached:
    """Which tests reach which lines, from the folder that `covered` has written."""

    def __init__(
        self, folder: Path, present: Iterable[str], kernels: dict[str, set[str]], root: Path, newer: bool
    ) -> None:
        self.tests: dict[str, dict[str, Any]] = {}
        self._data: list[tuple[coverage.CoverageData, dict[str, str]]] = []
        self._present = set(present)
        for path in sorted(folder.glob("*.json")):
            for told, one in json.loads(path.read_text()).items():
                name = self.now(told)
                if name is not None and one["passed"]:
                    known = self.tests.setdefault(name, {"cpu_s": 0.0, "kernels": [], "shared": []})
                    known["cpu_s"] += one["cpu_s"]
                    known["kernels"] += one["kernels"]
                    known["shared"] += one["shared"]
            data = coverage.CoverageData(str(path.with_suffix(".sqlite")))
            data.read()
            # the tree may have been covered at another place
            files = {f"mqdiag/{one.rpartition('/mqdiag/')[2]}": one for one in data.measured_files()}
            self._data.append((data, files))
        # tests that are newer than the coverage are tried for every mutant of the package that they stand for
        self._new = sorted(self._present - self.tests.keys()) if newer else []
        self.tests |= {name: {"cpu_s": 0.1, "kernels": [], "shared": []} for name in self._new}
        self._users: dict[str, list[str]] = defaultdict(list)
        self._of_file: dict[str, list[str]] = defaultdict(list)
        for name, one in self.tests.items():
            self._of_file[name.partition("::")[0]].append(name)
            for fixture in one["shared"]:
                self._users[fixture].append(name)
        self._kernels = kernels
        self._root = root
        self._killers: dict[str, set[str]] = defaultdict(set)

    @functools.lru_cache(maxsize=64)  # noqa: B019
    def _contexts(self, file: str) -> dict[int, set[str]]:
        found: dict[int, set[str]] = defaultdict(set)
        for data, files in self._data:
            for line, contexts in data.contexts_by_lineno(files.get(file, "")).items():
                for one in contexts:
                    name = self.now(one)
                    found[line].update(self._users.get(one, ()) if one.startswith(FIXTURE) else {name} - {None})
        return found

    def now(self, name: str) -> str | None:
        """The test that has this one's place: itself, or the one that it was folded into."""
        bare = name.partition("[")[0]
        return name if name in self._present else bare if bare in self._present else None

    def by(self, mutant: Mutant) -> list[str]:
        """The tests that reach it, in the order in which they are tried, and then their neighbours.

        What a test keeps for others in a cache was covered by the first one alone: hence the neighbours.
        """
        if "/kernels/" in mutant.file:
            kernel = f"{mutant.file.removesuffix('.py').replace('/', '.')}.{mutant.scope}"
            calling = {one for one, within in self._kernels.items() if kernel in within}
            names = {name for name, one in self.tests.items() if not calling.isdisjoint(one["kernels"])}
        elif mutant.is_constant:
            names = {
                name
                for file, line in _uses(self._root, mutant.scope)
                for name in self._contexts(file).get(line, ())
            }
        else:
            contexts = self._contexts(mutant.file)
            names = {name for line in mutant.lines for name in contexts.get(line, ())}
        names &= self.tests.keys()
        files = {name.partition("::")[0] for name in names}
        beside = {name for file in files for name in self._of_file[file]} - names
        new = [name for name in self._new if name.startswith(f"tests/{mutant.package}/")]
        return (
            self._order(names, mutant)[:MOST_BEFORE_NEW]
            + new
            + self._order(names, mutant)[MOST_BEFORE_NEW:]
            + self._order(beside - {*new}, mutant)
        )

    def killed(self, mutant: Mutant, killer: str) -> None:
        """Let this test's file come first for the next mutants of the same file."""
        self._killers[mutant.file].add(killer.partition("::")[0])

    def _order(self, names: set[str], mutant: Mutant) -> list[str]:
        by_file: dict[str, list[str]] = defaultdict(list)
        for name in sorted(names, key=lambda one: (self.tests[one]["cpu_s"], one)):
            by_file[name.partition("::")[0]].append(name)
        near = f"tests/{mutant.package}/"
        turns = [
            (
                self.tests[name]["cpu_s"] > CHEAP_S,
                turn - EARLIER * (file in self._killers[mutant.file]),
                not file.startswith(near),
                self.tests[name]["cpu_s"],
                name,
            )
            for file, of in by_file.items()
            for turn, name in enumerate(of)
        ]
        return [name for *_, name in sorted(turns)]


def _called(name: str, kernels: dict[str, Kernel], seen: set[str]) -> set[str]:
    if name in seen:
        return seen
    seen.add(name)
    function = kernels[name].function
    for used in function.__code__.co_names:
        value = function.__globals__.get(used)
        if type(value).__name__ in ("Kernel", "KernelFunction"):
            _called(f"{value.__module__}.{value.__name__}", kernels, seen)
    return seen


@functools.cache
def _names(root: Path) -> dict[str, list[tuple[str, int]]]:
    """The lines of functions that use a name."""
    found: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for package in PACKAGES:
        for path in sorted((root / "mqdiag" / package).rglob("*.py")):
            for function in ast.walk(ast.parse(path.read_text())):
                for node in ast.walk(function) if isinstance(function, ast.FunctionDef) else ():
                    name = node.id if isinstance(node, ast.Name) else getattr(node, "attr", None)
                    if name and hasattr(node, "lineno"):
                        found[name].append((str(path.relative_to(root)), node.lineno))
    return found


def _uses(root: Path, name: str) -> list[tuple[str, int]]:
    return _names(root).get(name, [])


def _codes(code: CodeType) -> Iterator[CodeType]:
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield one
            yield from _codes(one)


class Loaded:
    """The functions, modules and caches of this process that a mutant is put into."""

    def __init__(self) -> None:
        for package in PACKAGES:
            above = importlib.import_module(f"mqdiag.{package}")
            for one in pkgutil.walk_packages(above.__path__, f"{above.__name__}."):
                importlib.import_module(one.name)
        gc.unfreeze()  # what was collected may have been put aside
        self._functions: dict[str, list[FunctionType]] = defaultdict(list)
        self._caches: list[Any] = []
        self._kernels: list[Kernel] = []
        for one in gc.get_objects():
            if type(one) is FunctionType and one.__code__.co_filename.startswith(str(ROOT / "mqdiag")):
                self._functions[one.__code__.co_filename].append(one)
            elif type(one) is Kernel:
                self._kernels.append(one)
            elif type(one) is functools._lru_cache_wrapper and one.__module__.startswith(("mqdiag.", "tests.")):
                self._caches.append(one)

    def clear_caches(self) -> None:
        """Forget what was computed while the tests were collected."""
        for one in self._caches:
            one.cache_clear()

    def put_in(self, mutant: Mutant, tree: ast.Module) -> bool:
        """Change this process; False if nothing is there to be changed."""
        path = str(ROOT / mutant.file)
        if mutant.is_constant:
            return self._set(mutant, tree)
        new = {(one.co_qualname, one.co_firstlineno): one for one in _codes(compile(tree, path, "exec"))}
        changed = False
        for function in self._functions[path]:
            code = new.get((function.__code__.co_qualname, function.__code__.co_firstlineno))
            if (
                code is not None
                and code != function.__code__
                and code.co_freevars == function.__code__.co_freevars
            ):
                function.__code__ = code
                changed = True
        if "/kernels/" in mutant.file:
            self._compile_anew(mutant)
        return changed

    def kernels_within(self) -> dict[str, set[str]]:
        """Of each kernel, all that it calls, itself too."""
        kernels = {f"{one.__module__}.{one.__name__}": one for one in self._kernels}
        return {name: _called(name, kernels, set()) for name in kernels}

    def _compile_anew(self, mutant: Mutant) -> None:
        """Kernels that the mutant is in are compiled by numba in this process, the others are those that are kept."""
        name = f"{mutant.file.removesuffix('.py').replace('/', '.')}.{mutant.scope}"
        within = self.kernels_within()
        kept, by_numba = mqdiag.kernel.call._compiled, mqdiag.kernel.call._by_numba
        for one in self._kernels:
            one._natives.clear()

        def compiled(kernel: Kernel, types: Any) -> Any:
            has_it = name in within[f"{kernel.__module__}.{kernel.__name__}"]
            return (by_numba if has_it else kept)(kernel, types)

        mqdiag.kernel.call._compiled = compiled

    def _set(self, mutant: Mutant, tree: ast.Module) -> bool:
        module = sys.modules[mutant.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")]
        old = getattr(module, mutant.scope)
        for statement in tree.body:
            target = (
                statement.targets[0]
                if isinstance(statement, ast.Assign)
                else getattr(statement, "target", None)
            )
            if isinstance(target, ast.Name) and target.id == mutant.scope:
                value = statement.value  # type: ignore[attr-defined]
                scope = dict(vars(module))
                new = eval(compile(ast.Expression(value), mutant.file, "eval"), scope)
                for name, one in list(sys.modules.items()):
                    if name.startswith(("mqdiag", "tests")) and vars(one).get(mutant.scope) is old:
                        setattr(one, mutant.scope, new)
        return getattr(module, mutant.scope) is not old


Fault = tuple[Mutant, ast.Module]


@dataclass(frozen=True)
class Asked:
    """What one run is to do."""

    record: str
    """file with an answer in each line; what has one is not tried again"""
    covered: str
    """folder that `covered` wrote"""
    seed: int = 1
    mutants: int = 900
    only: tuple[str, ...] = ()
    """packages"""
    retry: tuple[str, ...] = ()
    """ends of mutants that are tried again; "cut": those whose tests did not all run"""
    budget: float = 10.0
    """seconds of processor time that the tests of one mutant get"""
    same: str = ""
    """record of another run, whose mutants are wanted; what killed each is tried first"""
    root: str = str(ROOT)
    """tree of that run, to whose lines the coverage belongs"""

    def wants(self, mutant: Mutant, last: dict[str, Any] | None) -> bool:
        """Whether a mutant is tried in this run."""
        if self.only and mutant.package not in self.only:
            return False
        return last is None or last["ended"] in self.retry or (bool(last.get("cut")) and "cut" in self.retry)


def rows_of(record: Path) -> dict[str, dict[str, Any]]:
    """The last answer for each mutant."""
    lines = record.read_text().splitlines() if record.exists() else ()
    return {row["key"]: row for row in map(json.loads, lines)}


class Server:
    """Tries one mutant after the other; each answer is a line of the record, so that a run goes on where it ended."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._failed = False
        self._unfit: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._failed |= report.failed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        asked = self._asked
        self._temporary = session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
        loaded = Loaded()
        items = {item.nodeid: item for item in session.items}
        within = loaded.kernels_within()
        reached = Reached(Path(asked.covered), items, within, Path(asked.root), newer=bool(asked.same))
        done = rows_of(Path(asked.record))
        earlier = rows_of(Path(asked.same)) if asked.same else {}
        wanted = with_keys(Path(asked.root), earlier) if earlier else drawn(asked.seed, asked.mutants)
        gc.collect()
        gc.freeze()
        for number, mutant in enumerate(wanted):
            if not asked.wants(mutant, done.get(mutant.key)):
                continue
            try:
                tree = mutated(mutant)
                killer = earlier.get(mutant.key, {}).get("killer")
                answer = self._try(mutant, tree, reached, loaded, items, killer)
            except (LookupError, SyntaxError) as error:
                answer = {"ended": "not here", "why": repr(error)}
            about = {"key": mutant.key, "package": mutant.package, "kind": mutant.kind, "line": mutant.line}
            with Path(asked.record).open("a") as file:
                file.write(json.dumps(about | answer) + "\n")
            shown = (number, answer["ended"], answer.get("tests"), answer.get("cpu_s"), mutant.key[:150])
            print(*shown, file=sys.__stderr__, flush=True)
        return True

    def _try(
        self,
        mutant: Mutant,
        tree: ast.Module,
        reached: Reached,
        loaded: Loaded,
        items: dict[str, pytest.Item],
        killer: str | None,
    ) -> dict[str, Any]:
        names = reached.by(mutant)
        killer = killer and reached.now(killer)
        if killer in reached.tests:
            names = [killer, *(name for name in names if name != killer)]
        if not names:
            return {"ended": "unreached"}
        while True:
            names = [name for name in names if name not in self._unfit]
            answer = self._in_child(names, reached, items, loaded, (mutant, tree))
            killer = answer.get("killer")
            if killer is None:
                return answer
            # Others before it may have made it fail: it must do so alone, and pass alone without the mutant.
            alone = (
                killer == names[0]
                or self._in_child([killer], reached, items, loaded, (mutant, tree))["ended"] == "killed"
            )
            passes = self._in_child([killer], reached, items, loaded, None)["ended"] == "survived"
            if alone and passes:
                reached.killed(mutant, killer)
                return answer
            if not passes:
                self._unfit.add(killer)
                print("fails in a child without a mutant:", killer, file=sys.__stderr__, flush=True)
            names = names[names.index(killer) + 1 :]
            if not names:
                return answer | {"ended": "survived", "killer": None}

    def _in_child(
        self,
        names: list[str],
        reached: Reached,
        items: dict[str, pytest.Item],
        loaded: Loaded,
        fault: Fault | None,
    ) -> dict[str, Any]:
        begun = time.monotonic()
        told = Path(tempfile.mkstemp(prefix="mutant-")[1])
        child = os.fork()
        if child == 0:
            code = 1
            try:
                os.setpgid(0, 0)
                code = self._run(names, reached, items, loaded, fault, told)
            finally:
                os._exit(code)
        handle = os.pidfd_open(child)
        used, since = -1.0, time.monotonic()
        stood_still = False
        while not select.select([handle], [], [], 1.0)[0]:
            now = _used_by(child)
            if now > used:
                used, since = now, time.monotonic()
            elif time.monotonic() - since > STANDS_STILL_S:
                stood_still = True
                break
        os.close(handle)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)
        _, status, usage = os.wait4(child, 0)
        text = told.read_text()
        told.unlink()
        shutil.rmtree(self._temporary, ignore_errors=True)
        self._temporary.mkdir()
        lines = [json.loads(line) for line in text.splitlines() if line.endswith("}")]
        last = lines[-1] if lines else {}
        answer = {
            "ended": last.get("ended", "killed"),
            "tests": last.get("tests", 0),
            "cut": last.get("cut", False),
            "cpu_s": round(usage.ru_utime + usage.ru_stime, 2),
            "wall_s": round(time.monotonic() - begun, 1),
        }
        if answer["ended"] in ("killed", "running"):
            answer |= {"ended": "killed", "killer": last.get("killer") or names[last.get("tests", 0)]}
            if last.get("ended") != "killed":
                answer["how"] = (
                    "stood still"
                    if stood_still
                    else f"signal {os.WTERMSIG(status)}"
                    if os.WIFSIGNALED(status)
                    else "exit"
                )
        return answer

    def _run(
        self,
        names: list[str],
        reached: Reached,
        items: dict[str, pytest.Item],
        loaded: Loaded,
        fault: Fault | None,
        told: Path,
    ) -> int:
        def tell(**answer: Any) -> None:
            with told.open("a") as file:
                file.write(json.dumps(answer) + "\n")

        nowhere = os.open(os.devnull, os.O_RDWR)
        for one in (0, 1, 2):
            os.dup2(nowhere, one)
        try:
            if fault is not None and not loaded.put_in(*fault):
                tell(ended="not loaded")
                return 0
        except Exception as error:
            tell(ended="not loaded", why=repr(error))
            return 0
        loaded.clear_caches()
        resource.setrlimit(resource.RLIMIT_AS, (_own_size() + MORE_MEMORY, resource.RLIM_INFINITY))
        compiles = fault is not None and "/kernels/" in fault[0].file
        budget = cpu_s() + self._asked.budget + compiles * COMPILES_S
        for number, name in enumerate(names):
            if cpu_s() > budget:
                tell(ended="survived", tests=number, of=len(names), cut=True)
                return 0
            tell(ended="running", tests=number)
            own = resource.getrusage(resource.RUSAGE_SELF)
            limit = own.ru_utime + own.ru_stime + LEAST_LIMIT_S + TIMES_SLOWER * reached.tests[name]["cpu_s"]
            resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, resource.RLIM_INFINITY))
            self._failed = False
            item = items[name]
            item.config.hook.pytest_runtest_protocol(
                item=item, nextitem=items[names[number + 1]] if number + 1 < len(names) else None
            )
            if self._failed:
                tell(ended="killed", tests=number + 1, killer=name)
                return 0
        tell(ended="survived", tests=len(names), of=len(names))
        return 0


def _own_size() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def _used_by(child: int) -> int:
    """Ticks of the child and of those it waited for."""
    fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15]))


def pytest_configure(config: pytest.Config) -> None:
    """Take part only where something is asked for."""
    asked = os.environ.get("MUTATION")
    if asked:
        from hypothesis import settings

        settings.register_profile("mutation", settings(), derandomize=True, database=None)
        settings.load_profile("mutation")
        config.pluginmanager.register(Server(Asked(**json.loads(asked))))
