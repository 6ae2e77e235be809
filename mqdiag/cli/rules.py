"""`mqdiag rules`: the catalogue of rules, or one rule's card."""

from __future__ import annotations

import click

from mqdiag.errors import UsageError


@click.command("rules", short_help="List the rules, or explain one.")
@click.argument("name", required=False)
@click.option("--debug", is_flag=True, help="Show the traceback of an internal fault.")
def command(name: str | None, debug: bool) -> int:
    """List all rules, or explain the rule NAME: what it means, what to do, on what it rests."""
    from mqdiag.cli.common.options import CommonOptions
    from mqdiag.cli.common.output import Target
    from mqdiag.cli.common.session import view
    from mqdiag.config import nearest
    from mqdiag.render.text.cards import render_card, render_catalogue
    from mqdiag.rules import all_rules

    cards = {rule.card.name: rule.card for rule in all_rules()}
    shown = view(CommonOptions())
    if name is None:
        Target("-").write(render_catalogue(tuple(cards.values()), shown))
    elif name in cards:
        Target("-").write(render_card(cards[name], shown))
    else:
        raise UsageError(f"there is no rule {name!r}{nearest(name, cards)}; mqdiag rules lists them all")
    return 0
