"""The views of `mqdiag.fleet.views` over DataFrames of a run."""

from __future__ import annotations

from pyspark.sql import DataFrame

from mqdiag.fleet.views.script import view_select


def view(name: str, **tables: DataFrame) -> DataFrame:
    """The rows of a view.

    Args:
        name: of its file.
        tables: what it asks, by the names that it uses; at least one.
    """
    for alias, frame in tables.items():
        frame.createOrReplaceTempView(alias)
    session = next(iter(tables.values())).sparkSession
    return session.sql(view_select(name))
