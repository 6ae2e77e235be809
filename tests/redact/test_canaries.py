"""No text of the application is left in a redacted dump, and the names that operators need are."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from mqdiag.errors import InputError
from mqdiag.redact.redact_dump import Redacted, redact_dump
from tests.layers import CHECK, one_in_each_run, some_later
from tests.redact.canary_dump import KEPT, CanaryDump, canary_dump
from tests.redact.compare import differences
from tests.writers.hprof_writer import DumpWriter
from tests.writers.java_objects import JavaObjects

FORMS = {
    "jdk 17": {},
    "jdk 8": {"jdk": 8},
    "ids of 4 bytes": {"id_size": 4},
    "jdk 8, ids of 4 bytes": {"jdk": 8, "id_size": 4},
    "small segments": {"segment_bytes": 200},
}


def redacted(made: CanaryDump | DumpWriter | bytes, folder: Path) -> tuple[bytes, Redacted]:
    """(the redacted file, the summary)."""
    dump = made.dump if isinstance(made, CanaryDump) else made
    data = dump if isinstance(dump, bytes) else dump.to_bytes()
    (folder / "original.hprof").write_bytes(data)
    done = redact_dump(folder / "original.hprof", folder / "shared.hprof", force=True)
    return (folder / "shared.hprof").read_bytes(), done


Shared = Callable[[str], tuple[CanaryDump, bytes, Redacted, Path]]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Shared:
    """Of a form: the dump, the redacted file, the summary, and the folder of both files."""

    @cache
    def of(name: str) -> tuple[CanaryDump, bytes, Redacted, Path]:
        made, folder = canary_dump(**FORMS[name]), tmp_path_factory.mktemp("shared")
        return made, *redacted(made, folder), folder

    return of


every_form = pytest.mark.parametrize("name", some_later(FORMS, lambda name: len(FORMS[name]) == 2))


@one_in_each_run(2)
@every_form
def test_no_secret_is_left_and_names_are(name: str, shared: Shared) -> None:
    made, data, done, folder = shared(name)
    original = (folder / "original.hprof").read_bytes()
    assert sorted(made.leaked(original)) == sorted(made.secrets), "the check must see secrets where they are"
    assert made.leaked(data) == []
    assert len(data) == len(original)
    encoding = "utf-16-be" if FORMS[name].get("jdk") == 8 else "ascii"
    assert [one for one in KEPT if one.encode(encoding) not in data] == []
    assert b"consumeMessage" in data
    assert b"app/Holder" in data
    assert done.blanked_bodies == 40
    assert done.problem is None
    assert done.unread_bytes == 0


@one_in_each_run(2)
@every_form
def test_the_report_is_the_same(name: str, shared: Shared) -> None:
    *_, folder = shared(name)
    assert differences(folder / "original.hprof", folder / "shared.hprof") == []


def test_a_body_of_digits_is_blanked_and_a_value_of_digits_stays(tmp_path: Path) -> None:
    made = canary_dump()
    before = made.dump.to_bytes().count(b"1760000000123")
    data, _ = redacted(made, tmp_path)
    assert before == 41
    assert data.count(b"1760000000123") == 40


def test_equal_texts_stay_equal_and_others_different(tmp_path: Path) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump)
    for text in ("alice@example.org", "alice@example.org", "bobby@example.org"):
        java.string(text)
    data, _ = redacted(dump, tmp_path)
    original = dump.to_bytes()
    places = [at for at in range(len(original)) if original[at : at + 12] == b"@example.org"]
    one, same, other = (data[at - 5 : at + 12] for at in places)
    assert one == same != other
    assert one.isalpha()


def test_two_runs_use_different_letters(tmp_path: Path) -> None:
    made = canary_dump()
    assert redacted(made, tmp_path)[0] != redacted(made, tmp_path)[0]


def test_hash_codes_of_texts_go_with_them(tmp_path: Path) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump)
    dump.set(java.string("someone's name"), hash=0x5EC4E701)
    node = dump.known("java/util/HashMap$Node", hash=10, key=2, value=2, next=2)
    dump.instance(node, hash=0x5EC4E702, key=java.string("another name"))
    address = dump.known("java/net/InetAddress$InetAddressHolder", hostName=2, address=10, family=10)
    dump.instance(address, address=0x5EC4E703, family=0x77777777)
    data, _ = redacted(dump, tmp_path)
    for number in (0x5EC4E701, 0x5EC4E702, 0x5EC4E703):
        assert number.to_bytes(4, "big") in dump.to_bytes()
        assert number.to_bytes(4, "big") not in data
    assert bytes(4 * [0x77]) in data


@CHECK
def test_a_cut_dump_is_redacted_as_far_as_it_goes(tmp_path: Path) -> None:
    made = canary_dump()
    whole = made.dump.to_bytes()
    for share in (0.5, 0.999):
        data, done = redacted(whole[: int(len(whole) * share)], tmp_path)
        assert made.leaked(data) == []
        assert done.problem is not None
        found = differences(tmp_path / "original.hprof", tmp_path / "shared.hprof")
        # Zeros stand where the cut object was: the reader names another reason to stop at the same byte.
        assert [
            each
            for each in found
            if not any(word in each for word in ("problem", ".hprof", "Reading stopped at byte"))
        ] == []


def test_what_follows_the_first_dump_is_left_out(tmp_path: Path) -> None:
    made = canary_dump(segment_bytes=10_000)
    once = made.dump.to_bytes()
    second = made.dump.records()
    data, done = redacted(once + second, tmp_path)
    assert done.further_dumps == 1
    assert len(data) == len(once)
    assert made.leaked(data) == []


def test_rubbish_behind_the_dump_is_blanked(tmp_path: Path) -> None:
    made = canary_dump()
    dump = made.dump.to_bytes()
    data, done = redacted(dump + made.secret("behind").encode() * 9, tmp_path)
    assert made.leaked(data) == []
    assert not any(data[len(dump) :])
    assert done.unread_bytes == len(data) - len(dump)


@CHECK
def test_no_flip_of_a_bit_lets_a_secret_through(tmp_path: Path) -> None:
    made = canary_dump(segment_bytes=3000, large_bytes=100)
    whole = bytearray(made.dump.to_bytes())
    chance = random.Random(7)
    refused = 0
    for _ in range(60):
        data = bytearray(whole)
        for place in (chance.randrange(31, len(whole)) for _ in range(chance.choice((1, 1, 4)))):
            data[place] ^= 1 << chance.randrange(8)
        try:
            got, _ = redacted(bytes(data), tmp_path)
        except InputError:
            refused += 1
            continue
        assert made.leaked(got) == []
    assert refused < 40


@CHECK
def test_gzip_in_and_out(tmp_path: Path) -> None:
    made = canary_dump()
    (tmp_path / "in.hprof.gz").write_bytes(gzip.compress(made.dump.to_bytes()))
    redact_dump(tmp_path / "in.hprof.gz", tmp_path / "out.hprof.gz")
    data = gzip.decompress((tmp_path / "out.hprof.gz").read_bytes())
    assert made.leaked(data) == []
    assert differences(tmp_path / "in.hprof.gz", tmp_path / "out.hprof.gz") == []


def test_a_cut_gzip_is_redacted_as_far_as_it_goes(tmp_path: Path) -> None:
    made = canary_dump()
    whole = gzip.compress(made.dump.to_bytes(), 1)
    (tmp_path / "in.hprof.gz").write_bytes(whole[: len(whole) * 9 // 10])
    done = redact_dump(tmp_path / "in.hprof.gz", tmp_path / "out.hprof")
    assert done.problem is not None
    assert made.leaked((tmp_path / "out.hprof").read_bytes()) == []
