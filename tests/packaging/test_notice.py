"""NOTICE names all that ships, with the licence that each library tells of itself."""

from __future__ import annotations

import importlib.metadata
import re
from pathlib import Path

from packaging.requirements import Requirement

from tests.packaging.conftest import PYPROJECT, ROOT

NOTICE = (ROOT / "NOTICE").read_text("utf-8")
OLD_WORDS = {
    "Apache 2.0": "Apache",
    "BSD": "BSD",
    "MIT": "MIT",
    "License :: OSI Approved :: BSD License": "BSD",
    "License :: OSI Approved :: MIT License": "MIT",
    "License :: OSI Approved :: Apache Software License": "Apache",
}
"""licences as libraries tell them that have no expression yet, and how the expression in NOTICE has to begin"""


def name_of(text: str) -> str:
    return re.sub(r"[-_.]+", "-", text).lower()


def shipped() -> dict[str, importlib.metadata.Distribution]:
    """The libraries of a bundle: what mqdiag needs without extras, all that these need, and pip."""
    found: dict[str, importlib.metadata.Distribution] = {}
    waiting = [*PYPROJECT["project"]["dependencies"], "pip"]
    while waiting:
        needed = Requirement(waiting.pop())
        if name_of(needed.name) in found or (needed.marker and not needed.marker.evaluate({"extra": ""})):
            continue
        found[name_of(needed.name)] = one = importlib.metadata.distribution(needed.name)
        waiting += one.requires or []
    return found


def told() -> dict[str, str]:
    """Licences in NOTICE, by library."""
    table = NOTICE.partition("library            licence\n")[2].partition("\n\n")[0]
    return {line.split()[0]: line.split(maxsplit=1)[1] for line in table.splitlines()}


def test_each_library_of_the_bundle_is_named_and_no_other() -> None:
    # A Python that has zstd itself needs no library for it.
    assert set(told()) == set(shipped()) | {"backports-zstd"}


def test_the_licences_are_those_that_the_libraries_tell() -> None:
    for name, one in shipped().items():
        expression = one.metadata.get("License-Expression")
        if expression is not None:
            assert told()[name] == expression, name
            continue
        words = {one.metadata.get("License"), *one.metadata.get_all("Classifier", [])} & set(OLD_WORDS)
        assert words, f"{name} tells no licence that is known"
        assert all(told()[name].startswith(OLD_WORDS[word]) for word in words if word), name


def test_the_licences_of_the_site_are_those_of_its_theme() -> None:
    theme = importlib.metadata.distribution("mkdocs-material")
    assert f"Material for MkDocs, by Martin Donath ({theme.metadata['License-Expression']})" in NOTICE
    templates = Path(str(theme.locate_file("material/templates")))
    assert "# Icons: Apache 2.0" in (templates / ".icons/material/LICENSE").read_text("utf-8")
    assert "icons of Material Design by Pictogrammers (Apache-2.0)" in NOTICE
    (search,) = (templates / "assets/javascripts/workers").glob("search.*.min.js")
    assert "Oliver Nightingale" in search.read_text("utf-8")
    assert "lunr.js by Oliver Nightingale (MIT)" in NOTICE


def test_licences_of_others_in_the_tree_are_named() -> None:
    found = {path.name for path in (ROOT / "docs" / "site").glob("*.LICENSE")}
    assert found
    assert all(name in NOTICE for name in found)
