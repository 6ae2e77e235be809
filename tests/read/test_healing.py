"""What is undone before a reader sees a text; a text that nothing was done to goes through untouched."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from mqdiag.read import healing
from mqdiag.read.healing import SAMPLE_BYTES, heal, healed
from tests.damaged_texts import CHARACTERS, DAMAGES, LINES, WRAPPERS, Damage
from tests.folded import folded
from tests.layers import one_in_each_run

LOG = "".join(
    f"2026-11-21 20:00:{second:02} WARN main - a group is gone\njava.lang.IllegalStateException: gone\n"
    f"\tat com.example.Shop.buy(Shop.java:{second})\n"
    for second in range(60)
)
CLEAN = {
    "log": LOG,
    "time and level": "".join(f"20:00:{second:02}.000 INFO main - step\n" for second in range(60)),
    "seconds": "".join(
        f"{second}.250: [GC (Allocation Failure) 10M->5M(64M), 0.0020000 secs]\n" for second in range(60)
    ),
    "class histogram": " num     #instances         #bytes  class name\n----------------------------------\n"
    + "".join(
        f"{row:4}: {90_000 - row:12} {900_000 - row:12}  com.example.Order{row}\n" for row in range(1, 60)
    ),
    "table": "".join(f"broker-a | {queue} | 10.0.0.7:10911\n" for queue in range(20)),
    "processor times by thread": "".join(f"{3000 + number}  {number}.5 java worker\n" for number in range(20)),
    "numbers": "".join(f"{3000 + number} {number * 7}\n" for number in range(20)),
    "levels with bars": "".join(f"ERROR | main | what {number}\n" for number in range(20)),
    "records": "".join(
        json.dumps({"@timestamp": "2026-11-21T20:00:01Z", "level": "WARN", "message": f"gone {number}"}) + "\n"
        for number in range(20)
    ),
    "collector's times": "".join(
        f"2026-11-21T20:00:01.000000001Z stdout F the step {number}\n" for number in range(9)
    ),
    "Chinese": "".join(
        f"2026-11-21 20:00:01 WARN main - 消费组\u3000“订单”不存在 {number} 次，请检查配置\n"
        for number in range(30)
    ),
    "one odd blank": LOG + "2026-11-21 20:01:00 INFO main - 1\u00a0000 messages\n",
    "a name that was chosen so": LOG + '2026-11-21 20:01:00 INFO "\x1b[31mred" - joined\n',
    "quoted in between": LOG + "> what the application printed\n" + LOG,
    "page in a log": LOG + "2026-11-21 20:01:00 WARN main - <html><body>502 Bad Gateway</body></html>\n",
    "paragraphs": "Our broker stops.\n\nIt says nothing.\nThen it starts.\n\nWhy?\n",
    "UTF-16": LOG.encode("utf-16").decode("latin-1"),
    "nothing": "",
    "blank": " \n\n",
}


def pieces(text: bytes, size: int) -> Iterator[bytes]:
    return (text[at : at + size] for at in range(0, len(text), size))


@folded("name", CLEAN)
def test_what_nothing_was_done_to_stays_the_same_object(name: str) -> None:
    text = CLEAN[name].encode("latin-1" if name == "UTF-16" else "utf-8")
    assert heal(text) is text
    given = list(pieces(text * (1 + 3 * SAMPLE_BYTES // (len(text) or 1)), 10_000))
    assert [id(chunk) for chunk in healed(iter(given))] == [id(chunk) for chunk in given]


def test_only_a_sample_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    steps_for = healing.steps_for
    monkeypatch.setattr(
        healing, "steps_for", lambda sample, **how: (seen.append(len(sample)), steps_for(sample, **how))[1]
    )
    given = pieces(LOG.encode() * 500, 1 << 20)
    for _ in healed(given):
        pass
    assert seen == [SAMPLE_BYTES]


def undone(name: str, damage: Damage) -> str:
    text = heal(damage(LOG).encode()).decode()
    if name == "fence":
        before, text, after = text.split("\n\n")
        assert before + after == "It hangs since noon:Any idea?\n"
    if name == "no-break indentation":
        text = text.replace("\n    at", "\n\tat")
    return text.replace("\r", "").strip("\n") + "\n"


@folded("name", [*CHARACTERS, *LINES, *WRAPPERS])
def test_what_was_done_to_a_log_is_undone(name: str) -> None:
    assert undone(name, DAMAGES[name]) == LOG


@one_in_each_run(6)
@pytest.mark.parametrize("name", [*CHARACTERS, "doubled blank lines", *WRAPPERS])
@pytest.mark.parametrize("size", [997, 100_000])
def test_a_long_text_is_healed_piece_by_piece(name: str, size: int) -> None:
    long = LOG * 30
    if name in ("one record", "grep -n", "grep -n of one file", "cat -n"):
        long = LOG
    damaged = DAMAGES[name](long).encode()
    out = b"".join(healed(pieces(damaged, size))).decode()
    assert out.replace("\n    at", "\n\tat") == long


def test_two_wrappers_one_inside_the_other() -> None:
    for outer in ("docker", "kubectl --prefix", "quotation", "doubled blank lines", "no-break blanks"):
        for inner in ("compose", "grep -n", "syslog", "zero-width blanks"):
            damaged = DAMAGES[outer](DAMAGES[inner](LOG))
            assert undone("", lambda _, damaged=damaged: damaged) == LOG, (outer, inner)


def test_lines_in_parts_are_whole_again() -> None:
    cri = "2026-11-21T20:00:01.000000001Z stdout {tag} {text}\n"
    text = "".join(
        cri.format(tag=tag, text=part)
        for tag, part in (("P", "2026-11-21 20:00:01 WARN "), ("F", "main - gone")) * 3
    )
    assert heal(text.encode()) == b"2026-11-21 20:00:01 WARN main - gone\n" * 3
    docker = "".join(
        json.dumps({"log": part}) + "\n" for part in ("2026-11-21 20:00:01 WARN ", "main - gone\n") * 3
    )
    assert heal(docker.encode()) == b"2026-11-21 20:00:01 WARN main - gone\n" * 3


def test_times_of_collectors_stay_for_who_wants_them() -> None:
    for name in ("containerd", "syslog", "docker", "Elasticsearch"):
        damaged = WRAPPERS[name](LOG).encode()
        assert heal(damaged, keeps_times=True) is damaged
    for name in ("kubectl --prefix", "compose", "grep -n", "Alibaba SLS", "table"):
        assert heal(WRAPPERS[name](LOG).encode(), keeps_times=True).decode() == LOG


def test_smart_quotes_around_names_of_threads() -> None:
    header = '"main" #1 prio=5 os_prio=0 tid=0x00007f00 nid=0x1 runnable\n'
    assert heal(header.replace('"', "\u201c", 1).replace('"', "\u201d").encode()).decode() == header
    german = "\u201eUnbekannt\u201c sagt der Broker\n" * 5
    assert heal(german.encode()).decode() == german


def test_where_a_collector_found_a_line_is_no_text_of_it() -> None:
    found = [
        {"log": {"offset": at, "file": {"path": "/a.log"}}, "message": line}
        for at, line in enumerate(LOG.splitlines())
    ]
    assert heal("".join(json.dumps(one) + "\n" for one in found).encode()).decode() == LOG


def test_deep_json_is_no_wrapper() -> None:
    deep = b'{"log":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"
    assert heal(deep) is deep
