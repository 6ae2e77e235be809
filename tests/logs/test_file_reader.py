"""Logs of one path: each member of an archive has its own problem."""

from __future__ import annotations

import zipfile
from itertools import count
from pathlib import Path

from mqdiag.errors import InputError
from mqdiag.language import english
from mqdiag.logs.file_reader import logs_of
from mqdiag.text import say
from tests.logs.given import line


def test_a_problem_of_a_member_that_is_no_log_is_not_told_of_the_next(tmp_path: Path) -> None:
    path = str(tmp_path / "logs.zip")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "no time and no level\n" * 100_000)
        archive.writestr("b.log", line("started"))
    steps = count(1)

    def refuse_the_third() -> None:
        if next(steps) == 3:
            raise InputError(path, say("took too long"))

    text, log = logs_of(path, path, (), refuse_the_third)
    assert isinstance(text.read, InputError)
    assert english()(text.read.without_path).startswith("is not a log")
    assert not isinstance(log.read, InputError)
    assert (log.problem, log.stopped_at) == (None, None)
