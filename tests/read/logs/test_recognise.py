"""Which texts are logs, although their lines have no times."""

from __future__ import annotations

import time

import pytest

from mqdiag.read.logs import shape
from mqdiag.read.logs.recognise import is_log
from mqdiag.read.sniff import HEAD_BYTES
from tests.folded import folded

FRAME = "at org.apache.rocketmq.client.impl.producer.DefaultMQProducerImpl.send(DefaultMQProducerImpl.java:1)"


@folded(
    "text",
    [
        'WARN[0000] add a new mq failed, because lock failed  MessageQueue="MessageQueue [topic=t]"\n',
        f"java.util.concurrent.CancellationException: Task was cancelled\n\t{FRAME}\n",
        f"> java.util.concurrent.CancellationException: Task was cancelled\n> {FRAME}\n",
        f"java.util.concurrent.CancellationException: Task was cancelled\n{FRAME}\n",
        "ERROR c.a.Sender - send failed\n",
    ],
)
def test_excerpts_without_times(text: str) -> None:
    assert is_log(text.encode(), "given.txt")


@pytest.mark.parametrize(
    "text",
    [
        "WARN[ing]: read the page before you begin\n",
        "java.lang.Exception: what it means and when to throw it\nSee chapter 3.\n",
        "Look at page 3 (of 7).\n",
    ],
)
def test_prose_is_no_log(text: str) -> None:
    assert not is_log(text.encode(), "notes.txt")


@pytest.mark.parametrize("line", [b"\n", b" \n", b">\n", b"`\n"])
def test_lines_without_words_take_no_time(line: bytes) -> None:
    begun = time.process_time()
    assert not is_log(line * (HEAD_BYTES // len(line)), "notes.txt")
    assert time.process_time() - begun < 1


def test_only_lines_that_a_form_can_begin_are_compared_with_forms(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most lines of a thread dump are frames."""
    compared: list[bytes] = []

    class Counting:
        def match(self, line: bytes) -> None:
            compared.append(line)

    monkeypatch.setattr(shape, "_FORMS", tuple((form, Counting()) for form, _ in shape._FORMS))
    dump = b'2026-11-21 09:24:32\nFull thread dump\n\n"main" #1 prio=5\n' + b"\tat a.X.run(X.java:1)\n" * 300
    shape.shape_of(dump, "jstack.txt")
    assert set(compared) == {b"2026-11-21 09:24:32"}
