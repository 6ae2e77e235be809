"""A fleet each night on Airflow 3: put this file and `fleet_day.py` into the folder of DAGs.

Airflow retries what can pass. What would fail again fails at once, and findings fail nothing: they are the result of
the task.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import fleet_day
from airflow.sdk import dag, get_current_context, task
from airflow.sdk.exceptions import AirflowException, AirflowFailException


@dag(
    schedule="0 2 * * *",
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    catchup=False,
    max_active_runs=1,  # a run holds its output
    default_args={"retries": 3, "retry_delay": timedelta(minutes=10), "retry_exponential_backoff": True},
    doc_md=__doc__,
)
def mqdiag_fleet() -> None:
    """Diagnose, then compact the tables."""

    @task
    def diagnose() -> dict[str, Any]:
        context = get_current_context()
        # A run that somebody starts by hand may have no date of its own.
        when: datetime = context.get("logical_date") or context["dag_run"].run_after
        day = _whole(fleet_day.run_fleet(when.date()))
        return {"answer": day.answer, **day.findings}

    @task
    def compact() -> None:
        _whole(fleet_day.compact())

    diagnose() >> compact()


def _whole(day: fleet_day.Day) -> fleet_day.Day:
    """A run that ended well.

    Raises:
        AirflowException: it failed; Airflow tries again what can pass.
    """
    if day.code:
        raise (AirflowException if day.can_pass else AirflowFailException)(day.reason)
    return day


mqdiag_fleet()
