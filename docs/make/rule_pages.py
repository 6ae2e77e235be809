"""docs/rules/*.md, from the rules' own cards and from the example that each must find."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.findings import Report
from mqdiag.language import english
from mqdiag.render import View
from mqdiag.render.parts import Section
from mqdiag.render.sections.finding_cards import finding_card
from mqdiag.render.text.writer import TextWriter
from mqdiag.rules.catalogue import cards_of, rule_files
from mqdiag.rules.discovery import all_rules
from mqdiag.rules.engine import run_rules
from mqdiag.rules.rule import Rule
from mqdiag.text import say
from tests.rules.examples import example_of


def rule_index() -> str:
    """All rules in one table."""
    cards = [file.card for file in rule_files()]
    rows = [
        f"| [{card.name}]({card.name}.md) | {card.evidence} | {', '.join(card.severities)}"
        f" | {english()(card.title)} |"
        for card in cards
    ]
    head = (
        "# Rules\n\nMade from the rules by `make docs`. `mqdiag rules NAME` shows the same on a terminal.\n\n"
        "| rule | needs | severity | what it finds |\n|---|---|---|---|\n"
    )
    return head + "\n".join(rows) + "\n"


def rule_pages() -> Iterator[tuple[str, str]]:
    """Name and page of each rule."""
    for rule in all_rules():
        yield rule.name, _page(rule)


def _page(rule: Rule) -> str:
    card = cards_of({rule.name})[rule.name]
    write = english()
    now, steps = (
        "\n".join(f"{place}. {write(step)}" for place, step in enumerate(texts, 1))
        for texts in ([action.in_a_line for action in card.now], card.remedy)
    )
    parts = [
        f"# {card.name}\n\n{write(card.title)}.\n\n{write(card.why)}",
        *([f"## Now\n\n{now}"] if now else []),
        f"## Then\n\n{steps}",
        "## In reports\n\n"
        f"- cause: {', '.join(f'`{cause}`' for cause in card.causes)}\n"
        f"- severity: {', '.join(card.severities)}\n"
        f"- needs: {card.evidence}\n"
        f"- since: {card.since}" + (f"\n- tried on: {write(card.proven_on)}" if card.proven_on else ""),
    ]
    if card.limits:
        rows = "\n".join(f"{name} = {value:g}" for name, value in card.limits.items())
        parts.append(
            "## Limits\n\nThe defaults; `mqdiag.toml` can set each.\n\n"
            f"```toml\n[rules.{card.name}.limits]\n{rows}\n```"
        )
    if card.references:
        parts.append("## Sources\n\n" + "\n".join(f"- {reference}" for reference in card.references))
    parts.append(
        f"## Example\n\nThe rule's own example gives this. {rule.texts.example}\n\n```text\n{_example(rule)}```"
    )
    return "\n\n".join(parts) + "\n"


def _example(rule: Rule) -> str:
    outcome = run_rules([rule], example_of(rule).fires())
    if outcome.failed:
        raise RuntimeError(f"{rule.name}: {outcome.failed[0].error}")
    (finding,) = outcome.findings
    writer = TextWriter(View())
    report = Report(mqdiag="", inputs=(), findings=outcome.findings)
    writer.section(
        Section(name="example", title=say("Example"), parts=[finding_card(finding, report)], headed=False)
    )
    return writer.text().strip() + "\n"
