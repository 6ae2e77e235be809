"""What the tables of a fleet mean, as SQL that DuckDB and Spark both run: one file with one SELECT for each view.

The report of a run asks the same files over its own tables (`analysis.view`), so that a query in a notebook cannot say
something else than the report. DuckDB gets Spark's names of the functions in which the two differ.
"""
