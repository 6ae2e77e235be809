"""What of a sentence is set as code, to be copied."""

from __future__ import annotations

import pytest

from mqdiag.render.wording.code_words import code_words


@pytest.mark.parametrize(
    ("sentence", "code"),
    [
        ("Call setReadTimeout on every HttpURLConnection.", ["setReadTimeout"]),
        (
            "Set pullThresholdForQueue=100, or call setConsumeTimeout(30).",
            ["pullThresholdForQueue=100", "setConsumeTimeout(30)"],
        ),
        ("Give it -Xmx2g or -XX:MaxRAMPercentage=75.", ["-Xmx2g", "-XX:MaxRAMPercentage=75"]),
        ("-Dsun.net.client.defaultReadTimeout (milliseconds).", ["-Dsun.net.client.defaultReadTimeout"]),
        ("Look at PAGECACHERT in `store.log`.", ["store.log"]),
        (
            "Reset it: mqadmin resetOffsetByTime -n '10.0.0.3:9876;10.0.0.4:9876' -g orders -t T -s 17.",
            ["mqadmin resetOffsetByTime -n '10.0.0.3:9876;10.0.0.4:9876' -g orders -t T -s 17"],
        ),
        ("Compare mqadmin clusterList with it.", ["mqadmin clusterList"]),
        ("把 consumeThreadMin 调大。", ["consumeThreadMin"]),
        ("Use Future.get(timeout, unit).", ["Future.get(timeout, unit)"]),
        ("Return CONSUME_SUCCESS.", ["CONSUME_SUCCESS"]),
        ("Make the gRPC call faster, and upgrade to 4.9.4.", []),
    ],
)  # fmt: skip
def test_forms_of_code(sentence: str, code: list[str]) -> None:
    parts = list(code_words(sentence))
    assert [part for part, is_code in parts if is_code] == code
    assert "".join(part for part, _ in parts) == sentence.replace("`", "")


def test_long_evidence_takes_no_time() -> None:
    for piece in ("a", "a.", "-", "mqadmin a", "A_", "aB(", "=x"):
        sentence = piece * 4000
        assert "".join(part for part, _ in code_words(sentence)) == sentence
