"""Small dumps that are made to cost much: each command ends within the budget of `SECURITY.md`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mqdiag.read.hprof.names import MAX_NAME_BYTES
from mqdiag.read.hprof.number_table import number_table
from tests.hostile.bounded import run as run_alone
from tests.hostile.conftest import Run
from tests.hostile.crafted_dumps import ATTACKS, HASH_FACTOR, secret_fields
from tests.layers import CHECK, NIGHTLY, one_in_each_run

OF_REDACT = ("long_symbol", "wide_superclass", "tiny_segments", "unloaded_classes")


def made(attack: str, folder: Path) -> Path:
    path = folder / f"{attack}.hprof"
    path.write_bytes(ATTACKS[attack]())
    return path


@one_in_each_run(10)
@pytest.mark.parametrize("attack", ATTACKS)
def test_heap_ends_within_its_budget(run: Run, attack: str, tmp_path: Path) -> None:
    run("heap", made(attack, tmp_path), "--format", "json").check(0, 1, 3)


@one_in_each_run(4)
@pytest.mark.parametrize("attack", OF_REDACT)
def test_redact_ends_within_its_budget(run: Run, attack: str, tmp_path: Path) -> None:
    run("redact", made(attack, tmp_path), tmp_path / "redacted.hprof").check(0, 3)


@NIGHTLY
@pytest.mark.parametrize("attack", sorted(set(ATTACKS) - set(OF_REDACT)))
def test_redact_ends_within_its_budget_of_every_other_attack(attack: str, tmp_path: Path) -> None:
    run_alone("redact", made(attack, tmp_path), tmp_path / "redacted.hprof").check(0, 3)


@one_in_each_run(2)
@pytest.mark.parametrize("attack", ["wide_superclass", "fields_without_size"])
def test_show_ends_within_its_budget(run: Run, attack: str, tmp_path: Path) -> None:
    name = "java.lang.Thread" if attack == "wide_superclass" else "a.A"
    run("show", made(attack, tmp_path), name, "--subclasses").check(0, 1, 3)


def test_secrets_ends_within_its_budget(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "dump.hprof"
    path.write_bytes(secret_fields())
    run("secrets", path).check(0)


def test_a_long_name_ends_with_an_ellipsis(run: Run, tmp_path: Path) -> None:
    done = run("heap", made("long_frames", tmp_path), "--format", "json")
    frame = json.loads(done.out)["heap"]["threads"][0]["frames"][0]
    assert frame.startswith("a" * MAX_NAME_BYTES + "….m")


def test_stacks_that_do_not_fit_say_how_much_is_left_out(run: Run, tmp_path: Path) -> None:
    done = run("heap", made("shared_trace", tmp_path), "--format", "json")
    threads = json.loads(done.out)["heap"]["threads"]
    assert len(threads) == 4000
    *shown, last = threads[0]["frames"]
    assert last == f"({20_000 - len(shown)} more frames)"
    assert threads[-1]["frames"] == ["(20000 more frames)"]


@pytest.mark.parametrize("varied_from", [0, 44], ids=["lower bits", "upper bits"])
def test_numbers_made_for_a_known_factor_do_not_collide(varied_from: int) -> None:
    inverse = pow(HASH_FACTOR, -1, 1 << 64)
    numbers = [(number << varied_from) * inverse % (1 << 64) for number in range(1, 20_001)]
    keys, _ = number_table(np.array(numbers, np.uint64))
    places = keys.size - 2
    shift, factor = map(int, keys[-2:])
    at = {int(key): place for place, key in enumerate(keys[:-2].tolist()) if key}
    away = [(at[number] - (number * factor % (1 << 64) >> shift)) % places for number in numbers]
    # About 10,000 where the factor is known; a chance factor can still be a poor one for numbers in a row.
    assert sum(away) / len(away) < 500


@CHECK
def test_each_process_has_a_factor_of_its_own() -> None:
    code = "from mqdiag.read.hprof.number_table import empty_keys; print(int(empty_keys(3)[-1]))"
    factors = {
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout for _ in range(2)
    }
    assert len(factors) == 2
