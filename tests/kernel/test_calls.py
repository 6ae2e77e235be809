"""Machine code called without numba gives what the same function gives in Python."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mqdiag.kernel.build import build
from mqdiag.kernel.call import Kernel
from mqdiag.kernel.definition import type_code
from mqdiag.kernel.folder import state
from tests.kernel import sample_kernels as sample
from tests.layers import CHECK, NIGHTLY


def test_a_kernel_that_writes_and_calls_another() -> None:
    out = np.zeros(3, np.int64)
    assert sample.add_into(np.array([1, 2, 3], np.int32), 5, out) is None
    assert out.tolist() == [16, 17, 18]


def test_several_results_keep_their_types() -> None:
    values = np.arange(6, dtype=np.uint8).reshape(2, 3)
    assert sample.told(values, np.uint8(4), 3.0) == (True, 6, 1.5)
    assert sample.told(values, np.uint8(9), 3.0) == (False, 6, 1.5)
    assert type(sample.told(values, np.uint8(9), 3.0)[0]) is bool


def test_one_truth() -> None:
    assert sample.is_even(4) is True
    assert sample.is_even(np.uint64(2**63 + 1)) is False


def test_arrays_with_gaps_and_arrays_that_cannot_be_written() -> None:
    values = np.arange(12, dtype=np.uint8).reshape(2, 6)
    frozen = values[:, ::2]
    frozen.flags.writeable = False
    assert sample.told(frozen, np.uint8(10), 0.0)[:2] == (True, 6)
    assert sample.told(frozen, np.uint8(11), 0.0)[:2] == (False, 6)
    assert type_code(frozen) == "|u1 2 Ara"


def test_named_tuples_of_arrays_are_one_argument() -> None:
    measured = sample.Measured(np.array([1, 2], np.uint8), np.array([0.5, 0.25]), 10)
    pair = sample.Pair(np.array([7, 8, 9], np.int32), np.array([1, 1, 2], np.int32))
    out = np.zeros(3, np.int64)
    assert sample.sum_of_tuples(np.int16(100), measured, pair, out) == (130.75, 3)
    assert out.tolist() == [6, 7, 7]


def test_a_named_tuple_in_another() -> None:
    pair = sample.Pair(np.array([7], np.int32), np.array([3], np.int32))
    assert sample.nested_sum(np.int64(1000), sample.Nested(pair, 4)) == 1734


def test_tuples_with_the_same_types_and_other_names_are_told_apart() -> None:
    five, two = np.array([5], np.int32), np.array([2], np.int32)
    assert sample.difference(sample.Pair(five, two)) == 3
    assert sample.difference(sample.Swapped(five, two)) == -3


def test_a_kernel_of_another_file() -> None:
    assert sample.first_number(np.array([0, 0, 1, 2], np.uint8)) == 258


def test_a_fault_inside_is_an_exception() -> None:
    with pytest.raises(ArithmeticError, match=r"sample_kernels\.divide"):
        sample.divide(1, 0)


@pytest.mark.parametrize("argument", [None, "text", (1, 2), [1]])
def test_other_arguments_are_refused(argument: object) -> None:
    with pytest.raises(TypeError, match="arrays, numbers and named tuples"):
        sample.is_even(argument)


def test_a_wrong_number_of_arguments_is_refused() -> None:
    assert sample.is_even(1) is False
    with pytest.raises(Exception, match="argument"):
        sample.is_even(1, 2)


@pytest.mark.parametrize(
    ("kernel", "why"),
    [(sample.allocates, "allocates nothing"), (sample.returns_array, "returns numbers")],
    ids=["allocates", "returns_array"],
)
def test_what_cannot_be_called_without_numba_is_refused(kernel: Kernel, why: str) -> None:
    with pytest.raises(NotImplementedError, match=why):
        build(kernel, (type_code(np.zeros(1)),))


CALL = """
import sys
import numpy as np
from tests.kernel import sample_kernels as sample
print(sample.is_even(np.int16(6)), "numba" in sys.modules)
"""


def call_in_a_new_process(folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", CALL],
        env={"MQDIAG_KERNELS": str(folder), "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@CHECK
def test_it_is_compiled_once_and_numba_imported_for_that_only(tmp_path: Path) -> None:
    assert call_in_a_new_process(tmp_path) == "True True"
    assert call_in_a_new_process(tmp_path) == "True False"


@CHECK
@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda data: data[:-10], id="cut"),
        pytest.param(lambda data: b"", id="empty", marks=NIGHTLY),
        pytest.param(lambda data: data[::-1], id="turned round", marks=NIGHTLY),
    ],
)
def test_a_damaged_file_is_compiled_again(tmp_path: Path, damage) -> None:
    call_in_a_new_process(tmp_path)
    for kept in tmp_path.rglob("*.o"):
        kept.write_bytes(damage(kept.read_bytes()))
    assert call_in_a_new_process(tmp_path) == "True True"
    assert call_in_a_new_process(tmp_path) == "True False"


@CHECK
def test_a_folder_that_cannot_be_written_costs_only_time(tmp_path: Path) -> None:
    (tmp_path / state() / "lock").mkdir(parents=True)  # for root, whom permissions do not stop
    assert call_in_a_new_process(tmp_path) == "True True"


@CHECK
def test_processes_that_start_together_compile_once(tmp_path: Path) -> None:
    call_in_a_new_process(tmp_path)
    (kept,) = tmp_path.rglob("*is_even*.o")
    kept.unlink()  # the self-check stays: three processes have one kernel to compile
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", CALL],
            env={"MQDIAG_KERNELS": str(tmp_path), "PYTHONPATH": str(Path(__file__).parents[2])},
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    said = sorted(process.communicate()[0].strip() for process in processes)
    assert said == ["True False", "True False", "True True"]
