"""Where files are kept, how many, and by whom."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mqdiag.cache.folder import CacheFolder, open_cache

KEYS = [character * 32 for character in "abc"]


def opened(limit_bytes: int | None = None) -> CacheFolder:
    folder, why_not = open_cache(limit_bytes)
    assert folder is not None, why_not
    return folder


def put(folder: CacheFolder, name: str, size_bytes: int = 100) -> None:
    folder.write(name, size_bytes, lambda file: file.write(b"x" * size_bytes) and None)


def names(cache: Path) -> list[str]:
    return sorted(file.name for file in cache.iterdir())


def test_the_folder_is_the_users_own(cache: Path) -> None:
    put(opened(), f"{KEYS[0]}.objects")
    assert cache.stat().st_mode & 0o777 == 0o700
    assert next(cache.iterdir()).stat().st_mode & 0o777 == 0o600


def test_what_was_not_used_for_longest_goes_first(cache: Path) -> None:
    folder = opened(limit_bytes=250)
    for age_s, key in zip((300, 200), KEYS[:2], strict=True):
        put(folder, f"{key}.objects")
        os.utime(cache / f"{key}.objects", (time.time() - age_s,) * 2)
    folder.used(f"{KEYS[0]}.objects")
    put(folder, f"{KEYS[2]}.objects")
    assert names(cache) == [f"{KEYS[0]}.objects", f"{KEYS[2]}.objects"]


def test_what_does_not_fit_is_not_kept(cache: Path) -> None:
    folder = opened(limit_bytes=150)
    put(folder, f"{KEYS[0]}.objects")
    put(folder, f"{KEYS[0]}.dominance")
    assert names(cache) == [f"{KEYS[0]}.objects"]


def test_a_tenth_of_the_disk_is_used_by_default(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mqdiag.cache.folder.free_bytes", lambda folder: 900)
    monkeypatch.setattr("mqdiag.cache.folder.fits", lambda folder, size_bytes: True)
    folder = opened()
    put(folder, f"{KEYS[0]}.objects", 90)
    assert folder.limit_bytes == 99
    put(folder, f"{KEYS[1]}.objects", 90)
    assert names(cache) == [f"{KEYS[1]}.objects"]


def test_a_full_disk_keeps_nothing(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mqdiag.cache.folder.fits", lambda folder, size_bytes: False)
    put(opened(1000), f"{KEYS[0]}.objects")
    assert names(cache) == []


def test_two_runs_that_keep_the_same_leave_one_whole_file(cache: Path) -> None:
    first, second = opened(1000), opened(1000)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: put((first, second)[i % 2], f"{KEYS[0]}.objects"), range(32)))
    assert names(cache) == [f"{KEYS[0]}.objects"]
    assert (cache / f"{KEYS[0]}.objects").read_bytes() == b"x" * 100


def test_an_abandoned_file_is_removed_and_one_that_is_being_written_is_not(cache: Path) -> None:
    folder = opened(1000)
    old, new = (cache / f".{KEYS[0]}.objects.{number:016x}" for number in range(2))
    for file in (old, new):
        file.write_bytes(b"x")
    os.utime(old, (time.time() - 7200,) * 2)
    put(folder, f"{KEYS[1]}.objects")
    assert names(cache) == [new.name, f"{KEYS[1]}.objects"]


def test_clearing_leaves_what_is_not_ours(cache: Path) -> None:
    folder = opened()
    put(folder, f"{KEYS[0]}.objects")
    (cache / f".{KEYS[0]}.objects.{0:016x}").write_bytes(b"x")
    (cache / "notes.txt").write_text("mine")
    folder.clear()
    assert names(cache) == ["notes.txt"]


def test_a_closed_folder_finds_keeps_and_removes_nothing(cache: Path) -> None:
    folder = opened()
    put(folder, f"{KEYS[0]}.objects")
    folder.close()
    folder.close()
    put(folder, f"{KEYS[1]}.objects")
    folder.used(f"{KEYS[0]}.objects")
    folder.remove(KEYS[0])
    assert folder.dumps() == []
    assert names(cache) == [f"{KEYS[0]}.objects"]


def test_a_folder_that_others_can_read_is_not_used(cache: Path) -> None:
    opened()
    cache.chmod(0o755)
    folder, why_not = open_cache()
    assert folder is None
    assert why_not.template.startswith("others can read")


def test_a_relative_cache_home_counts_as_none(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    assert opened().path == str(tmp_path / "home/.cache/mqdiag/heaps")
    assert not (tmp_path / "cache").exists()


def test_without_a_home_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr("mqdiag.user_folders._home_of_user", lambda: None)
    assert open_cache()[0] is None
