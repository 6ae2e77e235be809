"""Generated pages are up to date, hand-written ones are true."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from mqdiag.cli import run
from mqdiag.config import read_config, resolve
from mqdiag.fail_on import FailOn
from mqdiag.findings import Severity
from mqdiag.rules import all_rules
from tests.folded import folded
from tests.layers import CHECK

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]


def make_docs(*arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "make"), *arguments], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr


@CHECK
def test_the_check_sees_a_difference_and_a_leftover(tmp_path: Path) -> None:
    assert make_docs("--rules", "--root", str(tmp_path)) == (0, "")
    page = tmp_path / "docs" / "rules" / "input-incomplete.md"
    page.write_text(page.read_text().replace("cut", "CUT"))
    (tmp_path / "docs" / "rules" / "no-more.md").write_text("gone")
    code, err = make_docs("--rules", "--check", "--root", str(tmp_path))
    assert code == 1
    assert {line.split()[0] for line in err.splitlines()} == {
        "docs/rules/input-incomplete.md",
        "docs/rules/no-more.md",
    }


@folded("page", PAGES)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
        assert (page.parent / target).exists(), target


@folded("page", PAGES)
def test_no_page_speaks_of_our_machines(page: Path) -> None:
    text = page.read_text()
    assert not re.findall(r"/(?:root|work|home)/|/tmp/(?!\w*example)", text)


def test_the_configuration_shown_is_accepted(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "configuration.md").read_text()
    (block,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    path = tmp_path / "mqdiag.toml"
    path.write_text(block)
    settings = resolve(read_config(path), str(path), {rule.card.name: rule.card for rule in all_rules()})
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
    for dump in re.findall(r"mqdiag heap (\S+\.hprof\.gz)", text):
        assert (ROOT / dump).is_file(), dump
    for option in set(re.findall(r"`[^`\n]*?(--[a-z][a-z-]+)", text)):
        run(["heap", "--help"])
        assert option in capfd.readouterr().out, option


def test_make_lists_every_target() -> None:
    text = (ROOT / "Makefile").read_text()
    phony = re.findall(r"^\.PHONY: ([a-z-]+)$", text, re.MULTILINE)
    shown = subprocess.run(["make", "-s"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert set(phony) == {line.split()[0] for line in shown.splitlines()}
