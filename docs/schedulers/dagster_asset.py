"""A fleet each day as an asset of Dagster: `dagster dev -f dagster_asset.py`, with `fleet_day.py` beside it.

Dagster retries what can pass. What would fail again fails at once, and findings fail nothing: they are the metadata
of the day's materialization. The tables have all days, so one run may write at a time: limit the pool
`mqdiag` to 1.
"""

import os
from datetime import date

import dagster
import fleet_day


@dagster.asset(
    partitions_def=dagster.DailyPartitionsDefinition(start_date="2026-01-01"),
    pool="mqdiag",
    kinds={"spark", "parquet"},
)
def fleet_tables(context: dagster.AssetExecutionContext) -> dagster.MaterializeResult:
    """The tables of `mqdiag fleet` with the evidence of this day."""
    day = fleet_day.run_fleet(date.fromisoformat(context.partition_key))
    if day.code and day.can_pass:
        raise dagster.RetryRequested(max_retries=3, seconds_to_wait=600) from RuntimeError(day.reason)
    if day.code:
        raise dagster.Failure(day.reason, allow_retries=False)
    return dagster.MaterializeResult(
        metadata={
            "answer": day.answer,
            **day.findings,
            "tables": dagster.MetadataValue.path(os.environ["MQDIAG_OUT"]),
        }
    )


each_night = dagster.build_schedule_from_partitioned_job(
    dagster.define_asset_job("fleet_day", selection=[fleet_tables]), hour_of_day=2
)
definitions = dagster.Definitions(assets=[fleet_tables], schedules=[each_night])
