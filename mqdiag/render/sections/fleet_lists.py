"""Lists of a fleet's report: how a name is written, what stands below a list that is cut, where the pages lie."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

from mqdiag.render.parts import AnyPart, Paragraph, Table
from mqdiag.text import Value, say

FLEET_PAGE = "index.html"
SERVICE_PAGES = "services"
"""folder beside the fleet's page"""
_LONGEST_NAME = 60


def service_page(environment: str, service: str) -> str:
    """File name of a service's page: readable, safe in any URL and file system, and its own whatever the name is."""
    name = "-".join(filter(None, (environment, service)))
    readable = re.sub(r"[^a-z0-9]+", "-", name.lower())[:_LONGEST_NAME].strip("-")
    whole = hashlib.sha256(f"{environment}\0{service}".encode(errors="surrogatepass")).hexdigest()[:12]
    return f"{readable}-{whole}.html" if readable else f"{whole}.html"


def name_in(environment: str, name: str) -> Value:
    """The name of a service, host or group, with its environment if it has one."""
    return say("{environment}/{name}", environment=environment, name=name) if environment else name


def listed(table: Table, total: int) -> Iterator[AnyPart]:
    """A table if it has any rows; the report lists the first ones only, the tables of the run have all."""
    if not table.rows:
        return
    yield table
    hidden = total - len(table.rows)
    if hidden > 0:
        yield Paragraph(say("The run's tables have {hidden:count} more.", hidden=hidden), soft=True)
