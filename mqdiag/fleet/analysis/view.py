"""Questions in SQL over DataFrames of a run: the views of `mqdiag.fleet.views`, and the files beside this one."""

from __future__ import annotations

from importlib.resources import files

from pyspark.sql import DataFrame

from mqdiag.fleet.views.script import VIEWS, view_select


def view(name: str, **tables: DataFrame) -> DataFrame:
    """The rows of a view, or of a comparison that only reports ask for.

    Args:
        name: of its file.
        tables: what it asks, by the names that it uses; at least one.
    """
    for alias, frame in tables.items():
        frame.createOrReplaceTempView(alias)
    session = next(iter(tables.values())).sparkSession
    own = files(__package__).joinpath(f"{name}.sql")
    return session.sql(view_select(name) if name in VIEWS else own.read_text(encoding="utf-8"))
