"""What a query imports: pandas and pyarrow.compute take longer than most queries."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.graph.opening import put
from tests.graph.small_dump import small_dump
from tests.layers import CHECK

pytestmark = CHECK


SCRIPT = """
import sys
from mqdiag.cli import run
assert run(["query", sys.argv[1], "SELECT * FROM classes, objects, roots, threads LIMIT 1"]) == 0
print(sorted({"pandas", "pyarrow.compute", "mqdiag.rocketmq.view"} & set(sys.modules)), file=sys.stderr)
"""


def test_a_query_imports_no_more_than_its_tables_need(tmp_path: Path) -> None:
    put(small_dump(), tmp_path)
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "given.hprof")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr.strip().splitlines()[-1] == "[]"
