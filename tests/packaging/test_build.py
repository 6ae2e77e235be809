"""What is in the wheel and the sdist, and that the same tree gives the same bytes."""

from __future__ import annotations

import re
import tarfile
import zipfile
from email.parser import HeaderParser
from pathlib import Path

from mqdiag import __version__
from tests.layers import CHECK
from tests.packaging.conftest import PYPROJECT, ROOT, Built, build, copy_tree

DATA = f"mqdiag-{__version__}.data/data/"
RULE_INDEX = "mqdiag/rules/index.tsv"
"""the build writes it; the tree has none"""
SCHEMA = "mqdiag/render/json/report.schema.json"
"""the build writes it from the types; the tree has none"""
PACKED = "packed.msgpack"
"""the build writes it beside files of knowledge; the tree has none"""
INFO = f"mqdiag-{__version__}.dist-info/"


def files(tree: Path, *places: str) -> set[str]:
    """Without bytecode: the build itself imports the tree."""
    found = (path for place in places for path in [tree / place, *(tree / place).rglob("*")])
    return {str(path.relative_to(tree)) for path in found if path.is_file() and path.suffix != ".pyc"}


@CHECK
def test_the_wheel_holds_the_package_and_nothing_else(built: Built, tree: Path) -> None:
    with zipfile.ZipFile(built.wheel) as archive:
        found = set(archive.namelist())
    package = {name for name in found if name.startswith("mqdiag/")}
    sources = files(tree, "mqdiag")
    packed = {f"{Path(name).parent}/{PACKED}" for name in sources if name.endswith(".toml")}
    assert "mqdiag/knowledge/libraries/packed.msgpack" in packed
    assert package == sources | packed | {RULE_INDEX, SCHEMA}
    assert {Path(name).suffix for name in package} >= {".py", ".css", ".js", ".j2", ".json"}
    assert {name for name in found - package if not name.startswith(INFO)} == {f"{DATA}share/man/man1/mqdiag.1"}


@CHECK
def test_the_sdist_holds_what_the_wheel_is_made_from_and_no_evidence(built: Built, tree: Path) -> None:
    with tarfile.open(built.sdist) as archive:
        found = {name.partition("/")[2] for name in archive.getnames()}
    assert files(tree, "mqdiag", "docs", "LICENSE", "NOTICE", "README.md", "SECURITY.md") <= found
    assert not [name for name in found if name.startswith(("fixtures/", "tests/", ".ci/"))]


@CHECK
def test_the_version_has_one_place(built: Built, tree: Path) -> None:
    with zipfile.ZipFile(built.wheel) as archive:
        metadata = HeaderParser().parsestr(archive.read(f"{INFO}METADATA").decode())
    assert metadata["Version"] == __version__
    assert PYPROJECT["project"]["dynamic"] == ["version"]
    said = re.compile(rf"version[\w_]* *[=:] *['\"]?{re.escape(__version__)}", re.IGNORECASE)
    sources = [
        name for name in sorted(files(tree, "mqdiag", "pyproject.toml")) if name.endswith((".py", ".toml"))
    ]
    places = [name for name in sources if said.search((tree / name).read_text())]
    assert places == ["mqdiag/__init__.py"]


def test_upper_bounds_stand_only_where_there_is_a_reason() -> None:
    lines = (ROOT / "pyproject.toml").read_text().splitlines()
    bounded = [line for line in lines if re.match(r'  "[^";]*<', line)]
    assert [line.split(">")[0].strip(' "') for line in bounded] == ["mcp", "pytest"]
    assert all("#" in line for line in bounded)


@CHECK
def test_two_builds_are_the_same_bytes(built: Built, tree: Path, tmp_path: Path) -> None:
    """From another folder; the wheel from the tree, not from the sdist."""
    copy = copy_tree(tree, tmp_path / "elsewhere" / "tree", files(tree, "."))
    assert build(copy, tmp_path / "wheel", "--wheel").wheel.read_bytes() == built.wheel.read_bytes()
    assert build(copy, tmp_path / "sdist", "--sdist").sdist.read_bytes() == built.sdist.read_bytes()


@CHECK
def test_the_container_gets_what_the_wheel_is_made_from(built: Built, tree: Path, tmp_path: Path) -> None:
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    let_in = [line[1:] for line in lines if line.startswith("!")]
    assert lines.index("*") < lines.index(f"!{let_in[0]}")
    context = copy_tree(tree, tmp_path / "context", files(tree, *let_in))
    assert build(context, tmp_path / "wheel", "--wheel").wheel.read_bytes() == built.wheel.read_bytes()
