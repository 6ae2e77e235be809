"""What users and clients choose in the evidence of databases and gateways."""

from __future__ import annotations

from pathlib import Path

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.redact.report import redact_report
from mqdiag.render import View, formats, renderer
from tests.folded import folded

SECRET = "zqcanary"
SESSIONS = f"""\
 pid | usename | datname | application_name | state | wait_event_type | wait_event | xact_age | blocked_by | query
-----+---------+---------+------------------+-------+-----------------+------------+----------+------------+-------
 7 | {SECRET}u | {SECRET}d | {SECRET}a | idle in transaction | Client | ClientRead | 00:15:00 | {{}} | select '{SECRET}'
 8 | app | shop | x | active | Lock | transactionid | 00:14:00 | {{7}} | update t set x = '{SECRET}'
(2 rows)
"""
SLOWLOG = f"""\
1) 1) (integer) 14
   2) (integer) 1795267200
   3) (integer) 99000000
   4) 1) "KEYS"
      2) "{SECRET}*"
   5) "10.0.0.1:5000"
   6) "{SECRET}name"
"""
REQUESTS = 40 * (
    f'10.0.0.9 - - [21/Nov/2026:13:00:01 +0000] "GET /reset/{SECRET} HTTP/1.1" 504 512 "-" "curl" rt=60.0'
    ' upstream_addr=10.0.0.5:8080 urt="60.0"\n'
)


@folded(
    "text, cause", [(SESSIONS, "idle-in-transaction"), (SLOWLOG, "slow-command"), (REQUESTS, "gateway-timeout")]
)
def test_what_clients_choose_is_in_no_format(text: str, cause: str, tmp_path: Path) -> None:
    (tmp_path / "answer.txt").write_text(text)
    report = diagnose_incident([tmp_path]).report
    assert [found.cause for found in report.findings] == [cause]
    redacted = redact_report(report)
    for name in formats():
        for detail in ("normal", "full"):
            shown = renderer(name)(redacted, View(width=200, detail=detail, all_threads=True, why=True))
            assert SECRET not in shown, (name, detail)
