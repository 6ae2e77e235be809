"""The dashboard over the tables: its queries, as Grafana's data source for DuckDB asks them."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pyarrow as pa

FILE = Path(__file__).parents[2] / "docs/grafana/fleet-tables.json"
TYPES = (pa.types.is_string, pa.types.is_int64, pa.types.is_float64, pa.types.is_boolean, pa.types.is_temporal)
"""what that data source shows; it does not read lists, maps and sums of 128 bits"""


def answers(base: duckdb.DuckDBPyConnection) -> dict[str, pa.Table]:
    """The answer of each panel, by its title, for all services.

    Args:
        base: a connection with the views of an output.
    """
    board = json.loads(FILE.read_text())
    variables = {one["name"]: one for one in board["templating"]["list"]}
    assert set(variables) == {"datasource", "service"}
    services = [name for (name,) in base.sql(variables["service"]["query"]).fetchall()]
    listed = ", ".join("'" + name.replace("'", "''") + "'" for name in services) or "''"
    found = {}
    for panel in board["panels"]:
        (target,) = panel["targets"]
        query = target["rawSql"].replace("${service:sqlstring}", listed)
        assert "$" not in query, "a variable that nobody fills in"
        found[panel["title"]] = rows = base.sql(query).to_arrow_table()
        for field in rows.schema:
            assert any(fits(field.type) for fits in TYPES), (panel["title"], field)
        assert (
            (target["format"] == "time_series")
            == (panel["type"] == "timeseries")
            == ("time" in rows.column_names)
        )
    places = {tuple(panel["gridPos"].values()) for panel in board["panels"]}
    assert len(places) == len({panel["id"] for panel in board["panels"]}) == len(found)
    return found
