"""Writes what the files of a release are and what they were made from: SHA256SUMS and an in-toto statement.

python .ci/provenance.py dist VERSION

The statement says the commit, the target of make and the versions of the tools. It holds no time and no name of a
machine, so that whoever makes the same release gets the same bytes. It is not signed: who publishes it signs it.
"""

from __future__ import annotations

import hashlib
import json
import platform
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

TOOLS = ("build", "hatchling", "babel", "mkdocs", "mkdocs-material", "cyclonedx-bom")


def git(*words: str) -> str:
    """What git says in the working directory."""
    return subprocess.run(["git", *words], capture_output=True, text=True, check=True).stdout.strip()


def main() -> None:
    """Write both files beside the others."""
    dist, release = Path(sys.argv[1]), sys.argv[2]
    if git("status", "--porcelain"):
        sys.exit(
            "the tree has changes that are in no commit: a release is made of a commit; commit or stash them"
        )
    sums = dist / "SHA256SUMS"
    statement = dist / f"mqdiag-{release}.intoto.json"
    made = [path for path in sorted(dist.iterdir()) if path not in (sums, statement)]
    digests = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in made}
    value = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": name, "digest": {"sha256": digest}} for name, digest in digests.items()],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "make release",
                "externalParameters": {"version": release},
                "internalParameters": {},
                "resolvedDependencies": [{"name": "source", "digest": {"gitCommit": git("rev-parse", "HEAD")}}],
            },
            "runDetails": {
                "builder": {
                    "id": "make",
                    "version": {"python": platform.python_version()} | {name: version(name) for name in TOOLS},
                },
            },
        },
    }
    statement.write_text(json.dumps(value, indent=1) + "\n", "utf-8")
    digests[statement.name] = hashlib.sha256(statement.read_bytes()).hexdigest()
    sums.write_text("".join(f"{digest}  {name}\n" for name, digest in sorted(digests.items())), "utf-8")


if __name__ == "__main__":
    main()
