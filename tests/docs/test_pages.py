"""Generated pages are up to date, hand-written ones are true."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mqdiag.cli import run
from mqdiag.config import read_config, resolve
from mqdiag.fail_on import FailOn
from mqdiag.findings import Severity
from mqdiag.rules.catalogue import rule_files
from tests.docs.written_pages import MADE_PAGES, ROOT, is_made_page, written
from tests.folded import folded
from tests.layers import CHECK

PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *written("**/*.md")]


def make_docs(*arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "make"), *arguments], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr


@CHECK
def test_pages_of_rules_are_written_and_old_ones_removed(tmp_path: Path) -> None:
    old = tmp_path / "docs" / "rules" / "no-more.md"
    old.parent.mkdir(parents=True)
    old.write_text("gone")
    assert make_docs("--rules", "--root", str(tmp_path)) == (0, "")
    assert not old.exists()
    assert {path.stem for path in old.parent.iterdir()} == {"README", *(rule.name for rule in rule_files())}


@CHECK
def test_the_check_sees_an_old_output(tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text("<!-- output of: mqdiag --version -->\n```text\nmqdiag 0.0\n```\n")
    code, err = make_docs("--check", "--root", str(tmp_path))
    assert code == 1
    assert "README.md is out of date" in err


def place_of(page: Path, root: Path) -> Path:
    """Folder that the links of a page start from; the first page of the site stands at its root."""
    return root if page == root / "docs" / "site" / "index.md" else page.parent


def links(page: Path, root: Path) -> dict[str, Path]:
    """Where the relative links of a page lead."""
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    return {target: Path(os.path.normpath(place_of(page, root) / target)) for target in targets}


def broken_links(page: Path, root: Path) -> list[str]:
    """Relative links of a page that lead nowhere, apart from those to pages that are made."""
    made = root / "docs"
    return [
        target
        for target, place in links(page, root).items()
        if not (place.exists() or is_made_page(place, made))
    ]


@folded("page", PAGES)
def test_links_lead_somewhere(page: Path) -> None:
    assert not broken_links(page, ROOT)


@CHECK
def test_links_of_and_to_made_pages_lead_somewhere(tmp_path: Path) -> None:
    for name in ("docs", "README.md", "CHANGELOG.md", "SECURITY.md"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tmp_path / name)
    for name in ("fixtures", "mqdiag", "tests", "LICENSE", "NOTICE", "Makefile"):
        (tmp_path / name).symlink_to(ROOT / name)
    assert make_docs("--pages", "--root", str(tmp_path)) == (0, "")
    made = {path.relative_to(tmp_path / "docs").as_posix() for path in (tmp_path / "docs").rglob("*.md")}
    assert made >= MADE_PAGES
    for page in (tmp_path / "README.md", tmp_path / "CHANGELOG.md", *(tmp_path / "docs").rglob("*.md")):
        for target, place in links(page, tmp_path).items():
            assert place.exists(), f"{page.relative_to(tmp_path)}: {target}"


@folded("page", PAGES)
def test_no_page_speaks_of_our_machines(page: Path) -> None:
    text = page.read_text()
    assert not re.findall(r"/(?:root|work|home)/|/tmp/(?!\w*example)", text)


def test_the_configuration_shown_is_accepted(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "configuration.md").read_text()
    (block,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    path = tmp_path / "mqdiag.toml"
    path.write_text(block)
    settings = resolve(read_config(path), str(path), {rule.card.name: rule.card for rule in rule_files()})
    assert settings.fail_on == FailOn(severity="warning")
    assert settings.heap_limit == 2 << 30
    assert {wish.group for wish in settings.expectations} == {None, "order-service%orders"}
    assert settings.limits["consumer-cache-exceeds-heap"]["bound_share_warning"] == 0.8
    assert settings.severities == {"no-size-limit": Severity.WARNING}
    assert list(settings.ignored) == ["message-overhead"]


def test_commands_and_targets_of_the_readme_exist(capfd: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "README.md").read_text()
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^make ([a-z-]+)", text, re.MULTILINE):
        assert f"\n{target}: " in makefile
    for dump in re.findall(r"mqdiag heap (fixtures/\S+\.hprof\.gz)", text):
        assert (ROOT / dump).is_file(), dump
    for option in set(re.findall(r"`[^`\n]*?(--[a-z][a-z-]+)", text)):
        run(["heap", "--help"])
        assert option in capfd.readouterr().out, option


def test_make_lists_every_target() -> None:
    text = (ROOT / "Makefile").read_text()
    phony = re.findall(r"^\.PHONY: ([a-z-]+)$", text, re.MULTILINE)
    shown = subprocess.run(["make", "-s"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert set(phony) == {line.split()[0] for line in shown.splitlines()}
