"""docs/rules/*.md, from the rules' own cards and from the example that each must find."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

from mqdiag.findings import Report, RuleCard
from mqdiag.render import View
from mqdiag.render.text.findings import show_findings
from mqdiag.render.text.page import Page
from mqdiag.rules import run_rules
from mqdiag.rules.discovery import rule_modules


def rule_index() -> str:
    """All rules in one table."""
    cards = sorted((module.check.card for module in rule_modules()), key=lambda card: card.name)
    rows = [
        f"| [{card.name}]({card.name}.md) | {card.evidence} | {', '.join(card.severities)} | {card.title} |"
        for card in cards
    ]
    head = (
        "# Rules\n\nMade from the rules by `make docs`. `mqdiag rules NAME` shows the same on a terminal.\n\n"
        "| rule | needs | severity | what it finds |\n|---|---|---|---|\n"
    )
    return head + "\n".join(rows) + "\n"


def rule_pages() -> Iterator[tuple[str, str]]:
    """Name and page of each rule."""
    for module in rule_modules():
        yield module.check.card.name, _page(module)


def _page(module: ModuleType) -> str:
    card: RuleCard = module.check.card
    parts = [
        f"# {card.name}\n\n{card.title}.\n\n{card.why}",
        "## What to do\n\n" + "\n".join(f"{place}. {step}" for place, step in enumerate(card.remedy, 1)),
        "## In reports\n\n"
        f"- cause: {', '.join(f'`{cause}`' for cause in card.causes)}\n"
        f"- severity: {', '.join(card.severities)}\n"
        f"- needs: {card.evidence}\n"
        f"- since: {card.since}" + (f"\n- tried on: {card.proven_on}" if card.proven_on else ""),
    ]
    if card.limits:
        rows = "\n".join(f"{name} = {value:g}" for name, value in card.limits.items())
        parts.append(
            "## Limits\n\nThe defaults; `mqdiag.toml` can set each.\n\n"
            f"```toml\n[rules.{card.name}.limits]\n{rows}\n```"
        )
    if card.references:
        parts.append("## Rests on\n\n" + "\n".join(f"- {reference}" for reference in card.references))
    parts.append(
        f"## Example\n\nWhat the rule's own test case gives. {_first_line(module.fires)}\n\n"
        f"```text\n{_example(module)}```"
    )
    return "\n\n".join(parts) + "\n"


def _first_line(function: object) -> str:
    return (function.__doc__ or "").strip().splitlines()[0]


def _example(module: ModuleType) -> str:
    outcome = run_rules([module.check], module.fires())
    if outcome.failed:
        raise RuntimeError(f"{module.__name__}: {outcome.failed[0].error}")
    page = Page(View())
    show_findings(page, Report(mqdiag="", inputs=(), findings=outcome.findings))
    lines = page.text().rstrip().splitlines()
    return "\n".join(lines[:-2]).rstrip() + "\n"  # without the hint at `mqdiag rules`, where the reader is
