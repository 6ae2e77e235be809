"""The steps of docs/guides/add-a-rocketmq-version.md, carried out in a copy of the package."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from mqdiag.testing.hprof_writer import DumpWriter
from tests.rocketmq.written import WrittenClient

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "guides" / "add-a-rocketmq-version.md"
NAMES = Path("mqdiag") / "rocketmq" / "names.py"


def dump_of_the_new_version(folder: Path) -> Path:
    """A client like 5.3 whose queues call their map of messages cachedMessages."""
    dump = DumpWriter()
    client = WrittenClient(dump, family="5.3")
    renamed = {"msgTreeMap": "cachedMessages"}
    queue = client.process_queue({offset: client.message(offset) for offset in (5, 6, 7)}, renamed=renamed)
    client.push_consumer("CID_a", {client.queue(): queue})
    return dump.write(folder / "new.hprof")


def heap_report(package: Path, dump: Path) -> dict[str, Any]:
    """What `mqdiag heap` of a copy says."""
    command = [sys.executable, "-m", "mqdiag", "heap", str(dump), "--format", "json"]
    environment = {**os.environ, "PYTHONPATH": str(package)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=package, env=environment, check=False)
    assert done.returncode in (0, 1), done.stderr
    found: dict[str, Any] = json.loads(done.stdout)["heap"]
    return found


def add_rows(names: str, rows: str, family: str) -> str:
    """`names.py` after step 2: the rows stand for those of their role, the family is the first one."""
    (role,) = set(re.findall(r'^ +\("([A-Za-z.]+)", ', rows, re.MULTILINE))
    old = re.findall(rf'^ +\("{re.escape(role)}", .*\),\n', names, re.MULTILINE)
    assert len(old) == 1
    assert names.count("FAMILIES = (\n") == 1
    return names.replace(old[0], rows).replace("FAMILIES = (\n", f"FAMILIES = (\n{family}")


def test_a_version_is_one_file(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "mqdiag", tmp_path / "mqdiag", ignore=shutil.ignore_patterns("__pycache__"))
    dump = dump_of_the_new_version(tmp_path)

    before = heap_report(tmp_path, dump)
    assert before["consumers"][0]["layout"] == "5.3"
    assert before["messages_in_queues"] == 0, "the field has a name that nobody knows yet"

    rows, family = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    table = tmp_path / NAMES
    table.write_text(add_rows(table.read_text(encoding="utf-8"), rows, family), encoding="utf-8")

    after = heap_report(tmp_path, dump)
    assert after["consumers"][0]["layout"] == "6.0"
    assert after["messages_in_queues"] == 3
    assert [(row["min_offset"], row["max_offset"]) for row in after["queues"]] == [(5, 7)]
    older = heap_report(tmp_path, ROOT / "fixtures" / "heap" / "pop-5.3.3" / "dump.hprof.gz")
    assert older["consumers"][0]["layout"] == "5.3"
