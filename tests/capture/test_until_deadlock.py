"""A deadlock ends the taking of samples: one thread dump shows all of it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from mqdiag.capture.folder import sample_file
from mqdiag.capture.samples import Sampler


@pytest.mark.parametrize(("until_deadlock", "taken"), [(True, 2), (False, 4)])
def test_the_first_dump_with_a_deadlock_is_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, until_deadlock: bool, taken: int
) -> None:
    dumps = ["main\n", "\nFound one Java-level deadlock:\n====\n", "main\n", "main\n"]

    def one(self: Sampler, folder: SimpleNamespace, number: int, samples: int) -> bool:
        path = folder.path / sample_file(number)
        path.parent.mkdir(exist_ok=True)
        path.write_text(dumps[number - 1])
        return True

    monkeypatch.setattr(Sampler, "_one", one)
    said: list[object] = []
    sampler = Sampler(SimpleNamespace(runs=True, pid=1), {}, None, said.append)  # type: ignore[arg-type]
    folder = SimpleNamespace(path=tmp_path)
    assert sampler.take(folder, 4, 0.0, until_deadlock=until_deadlock) == taken  # type: ignore[arg-type]
    assert len(said) == until_deadlock
