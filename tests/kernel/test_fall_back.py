"""When object code cannot be used, numba runs the kernels, the results are equal, and one line says so."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mqdiag.kernel import mode, self_check
from tests.layers import CHECK, NIGHTLY

pytestmark = CHECK


ROOT = Path(__file__).parents[2]

CALLS = """
import json, sys
import numpy as np
from mqdiag.kernel import folder
from tests.kernel import sample_kernels as sample

table = np.arange(12, dtype=np.uint8).reshape(2, 6)[:, ::2]
table.flags.writeable = False
measured = sample.Measured(np.array([1, 2], np.uint8), np.array([0.5, 0.25]), 10)
pair = sample.Pair(np.array([7, 8], np.int32), np.array([1, 1], np.int32))
out = np.zeros(2, np.int64)
results = [
    sample.told(table, np.uint8(10), 3.0),
    sample.is_even(np.uint64(2**63 + 1)),
    sample.first_number(np.array([0, 0, 1, 2], np.uint8)),
    sample.sum_of_tuples(np.int16(100), measured, pair, out),
    sample.nested_sum(1000, sample.Nested(pair, 4)),
    sample.add_into(out, 5, out),
    out.tolist(),
]
kinds = [type(value).__name__ for value in (*results[0], results[1], results[2], *results[3])]
try:
    sample.divide(1, 0)
except ArithmeticError:
    results.append("fault")
print(json.dumps([results, kinds]), "numba" in sys.modules)
"""

NO_OBJECT_CODE = """
from numba.core.codegen import CPUCodeLibrary
del CPUCodeLibrary.serialize_using_object_code
"""
"""a numba whose function for it has another name"""

WRONG_RESULTS = """
from mqdiag.kernel import native
native.flat_values = lambda arguments, right=native.flat_values: (
    value + 1 if type(value) is int else value for value in right(arguments)
)
"""
"""calls that pass numbers wrongly"""

NO_LOADER = """
from mqdiag.kernel import native
class Libc:
    abort = memset = None
    mprotect = staticmethod(lambda *arguments: -1)
native._libc = Libc
"""
"""a machine that runs no code that a program has put into memory"""


def run(script: str, folder: Path, **environment: str) -> tuple[str, str]:
    """What a new process writes to standard output and to standard error."""
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={"PATH": os.environ["PATH"], "MQDIAG_KERNELS": str(folder), "PYTHONPATH": str(ROOT)} | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip(), done.stderr


@pytest.fixture(scope="module")
def by_object_code(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The results as they should be, of kernels that are kept already."""
    folder = tmp_path_factory.mktemp("kernels")
    run(CALLS, folder)
    said, errors = run(CALLS, folder)
    assert errors == ""
    results, _, with_numba = said.rpartition(" ")
    assert with_numba == "False"
    assert json.loads(results)[1] == ["bool", "int", "float", "bool", "int", "float", "int"]
    return results


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (WRONG_RESULTS, "the self-check of compiled kernels failed: the results are"),
        # Each compiles the kernels once more.
        pytest.param(NO_OBJECT_CODE, "serialize_using_object_code", marks=NIGHTLY),
        pytest.param(NO_LOADER, "mprotect", marks=NIGHTLY),
    ],
    ids=["wrong results", "no object code", "no loader"],
)
def test_without_object_code_results_are_equal_and_one_line_says_why(
    tmp_path: Path, by_object_code: str, fault: str, why: str
) -> None:
    said, errors = run(fault + CALLS, tmp_path)
    assert said == f"{by_object_code} True"
    (line,) = errors.splitlines()
    assert line.startswith("mqdiag: numba compiles the kernels in this run, which takes longer: ")
    assert why in line


@NIGHTLY
def test_another_calling_convention(tmp_path: Path, by_object_code: str) -> None:
    """`build` asks numba for the type of the function; here the answer has one argument more."""
    other = """
from mqdiag.kernel import build
asked = build.cpu_target.target_context.call_conv
class Other:
    def get_function_type(self, *types):
        made = asked.get_function_type(*types)
        return build.ir.FunctionType(made.return_type, [*made.args, build.ir.IntType(64)])
class Context:
    call_conv = Other()
class Target:
    target_context = Context()
build.cpu_target = Target()
"""
    said, errors = run(other + CALLS, tmp_path)
    assert said == f"{by_object_code} True"
    assert errors.count("\n") == 1
    assert "passes arguments in another way" in errors
    assert list(tmp_path.rglob("*.o")) == []


def test_kept_code_that_gives_wrong_results_is_not_used(tmp_path: Path, by_object_code: str) -> None:
    """The kept self-check is whole and loads, but is the code of another function."""
    run(CALLS, tmp_path)
    (check,) = tmp_path.rglob("*self_check*.o")
    changed = """
from mqdiag.kernel import self_check
plain = self_check.self_check.function
self_check.self_check.function = lambda *arguments: (not plain(*arguments)[0], *plain(*arguments)[1:])
"""
    said, errors = run(changed + CALLS, tmp_path)
    assert said == f"{by_object_code} True"
    assert "the self-check of compiled kernels failed" in errors
    assert check.exists()


def test_the_user_can_choose_numba(tmp_path: Path, by_object_code: str) -> None:
    said, errors = run(CALLS, tmp_path, MQDIAG_KERNEL_MODE="numba")
    assert said == f"{by_object_code} True"
    assert errors == ""
    assert list(tmp_path.rglob("*.o")) == []


def test_a_run_that_fell_back_does_not_note_that_all_kernels_are_kept(tmp_path: Path) -> None:
    warm = NO_LOADER + CALLS + "\nfolder.mark_ready(['heap'])\n"
    run(warm, tmp_path)
    assert list(tmp_path.rglob("ready-*")) == []
    run(CALLS + "\nfolder.mark_ready(['heap'])\n", tmp_path)
    assert len(list(tmp_path.rglob("ready-*"))) == 1


def test_a_wrong_kernel_is_an_error_and_no_reason_to_fall_back(tmp_path: Path) -> None:
    script = """
import numpy as np
from mqdiag.kernel import mode
from tests.kernel import sample_kernels as sample
try:
    sample.add_into(1, 2, 3)
except Exception as error:
    print(type(error).__name__, mode.uses_numba())
"""
    assert run(script, tmp_path) == ("TypingError False", "")


def test_an_unknown_mode_is_an_error_of_usage(tmp_path: Path) -> None:
    dump = ROOT / "fixtures/heap/no-rocketmq/dump.hprof.gz"
    done = subprocess.run(
        [sys.executable, "-m", "mqdiag", "heap", str(dump)],
        env={**os.environ, "MQDIAG_KERNEL_MODE": "fast"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == "mqdiag: MQDIAG_KERNEL_MODE=fast is not a mode; the only choice is numba\n"


def test_the_self_check_sees_every_argument_and_result() -> None:
    """Whatever is passed or given back wrongly changes a result or the array."""
    check = self_check.self_check.function

    def fault_with(position: int, value: object) -> str | None:
        def call(*arguments: object) -> object:
            changed = list(arguments)
            changed[position] = value
            return check(*changed)

        return self_check.fault(call)

    assert self_check.fault(check) is None
    flag, pair, small, table, ratio, large = self_check.arguments()
    for position, value in enumerate((not flag, None, small + 1, table.T.copy(), ratio + 1, large - 1)):
        if value is not None:
            assert fault_with(position, value) is not None, position
    for other in (
        pair._replace(first=pair.first[::-1], second=pair.second.copy()),
        pair._replace(number=pair.number + 1, second=pair.second.copy()),
        pair._replace(second=pair.second[::-1].copy()),
    ):
        assert fault_with(1, other) is not None
    for place in range(4):
        results = check(*self_check.arguments())
        wrong = tuple(0.5 if at == place else result for at, result in enumerate(results))
        assert self_check.fault(lambda *_, wrong=wrong: wrong) is not None
    # right results, and the array as it was
    assert self_check.fault(lambda *_: check(*self_check.arguments())) == "the array was not written"


def test_the_process_of_the_tests_runs_object_code() -> None:
    """Else all other tests would try numba, and not what users run."""
    assert not mode.uses_numba()
    assert "MQDIAG_KERNEL_MODE" not in os.environ


@NIGHTLY
def test_a_heap_report_is_equal_by_numba(tmp_path: Path) -> None:
    dump = ROOT / "fixtures/heap/stuck-one-4.9.8/dump.hprof.gz"
    command = [sys.executable, "-m", "mqdiag", "heap", str(dump), "--format", "json"]
    reports = [
        subprocess.run(command, env={**os.environ, **extra}, capture_output=True, text=True, check=False).stdout
        for extra in ({}, {"MQDIAG_KERNEL_MODE": "numba"})
    ]
    by_code, by_numba = ({**json.loads(report), "tool": None} for report in reports)
    assert by_code["findings"]
    assert by_code == by_numba
