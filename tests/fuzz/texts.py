"""Coverage-guided fuzzing of one reader of text with atheris, in a process of its own.

`python -m tests.fuzz.texts READER FINDINGS LIBFUZZER_ARGUMENT...`. What a reader fails on is written to FINDINGS, one
file for each place in the code, and the fuzzing goes on.
"""

from __future__ import annotations

import hashlib
import sys
import traceback
from pathlib import Path

import atheris

with atheris.instrument_imports(
    include=["mqdiag"], exclude=["mqdiag.graph", "mqdiag.kernel", "mqdiag.read.hprof", "mqdiag.redact"]
):
    import mqdiag.diagnose.incident
    import mqdiag.render
    import mqdiag.rules.discovery
    from mqdiag.diagnose.sort.kind import all_kinds

    all_kinds()
    mqdiag.rules.discovery.all_rules()
    mqdiag.render.renderer("text")
    mqdiag.render.renderer("json")

from mqdiag.errors import InputError
from tests.fuzz.readers import file_of, in_time, readers


def place(error: BaseException) -> str:
    """The kind of an error and the innermost lines of code, by which two findings are the same."""
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    said = " ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames)
    return f"{type(error).__name__} {said}"


def main() -> None:
    """Fuzz until libFuzzer's own limits end it."""
    name, findings = sys.argv[1], Path(sys.argv[2])
    read = readers()[name]
    met: set[str] = set()

    def one(data: bytes) -> None:
        with file_of(data) as path:
            try:
                in_time(read, path)
            except InputError:
                pass
            except Exception as error:
                where = place(error)
                if where not in met:
                    met.add(where)
                    kept = findings / f"{name}-{hashlib.sha256(where.encode()).hexdigest()[:12]}"
                    kept.write_bytes(data)
                    kept.with_suffix(".why").write_text("".join(traceback.format_exception(error)))

    atheris.Setup([sys.argv[0], *sys.argv[3:]], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
