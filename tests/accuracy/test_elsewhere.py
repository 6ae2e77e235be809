"""Evidence that stays where it is published: the form of its truths."""

from __future__ import annotations

from tests.accuracy.elsewhere import FarTruth, far_cases


def test_each_truth_names_its_files_with_their_checksums() -> None:
    for case in far_cases():
        assert isinstance(case.truth, FarTruth)
        assert list(case.truth.command[1:]) == [file.name for file in case.truth.files]
        assert all(len(file.sha256) == 64 and len(file.commit) == 40 for file in case.truth.files)


def test_no_two_cases_have_the_same_file() -> None:
    sums = [
        file.sha256 for case in far_cases() if isinstance(case.truth, FarTruth) for file in case.truth.files
    ]
    assert len(set(sums)) == len(sums)
