"""What of a sentence is set as code, and what of it a reader pastes."""

from __future__ import annotations

from mqdiag.render.wording.code_words import code_words, pasted
from tests.folded import folded


@folded("sentence, code", [
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
        (
            "Set RequestConfig.custom().setSocketTimeout(…).setConnectTimeout(…) (none by default).",
            ["RequestConfig.custom().setSocketTimeout(…).setConnectTimeout(…)"],
        ),
        (
            "Also setDefaultSocketConfig(SocketConfig.custom().setSoTimeout(…)).",
            ["setDefaultSocketConfig(SocketConfig.custom().setSoTimeout(…))"],
        ),
        (
            "In the URL: jdbc:mysql://…?connectTimeout=3000&socketTimeout=10000.",
            ["jdbc:mysql://…?connectTimeout=3000&socketTimeout=10000"],
        ),
        ("That is above consumeConcurrentlyMaxSpan=2,000, so it waits.", ["consumeConcurrentlyMaxSpan=2,000"]),
        (
            "Copy it: rsync -a --delete --exclude='*.conf' '/a b (old)'/commitlog /c/ (as on the machine).",
            ["rsync -a --delete --exclude='*.conf' '/a b (old)'/commitlog /c/"],
        ),
        (
            "Take some: for i in 1 2; do jstack -l PID > j$i.log; sleep 5; done",
            ["for i in 1 2; do jstack -l PID > j$i.log; sleep 5; done"],
        ),
        ("Return CONSUME_SUCCESS.", ["CONSUME_SUCCESS"]),
        ("Make the gRPC call faster, and upgrade to 4.9.4.", []),
    ])  # fmt: skip
def test_forms_of_code(sentence: str, code: list[str]) -> None:
    parts = list(code_words(sentence))
    assert [part for part, is_code in parts if is_code] == code
    assert "".join(part for part, _ in parts) == sentence.replace("`", "")


@folded("step, whole", [
        ("Call setReadTimeout and set -Dsun.net.client.defaultReadTimeout (milliseconds).", []),
        ("Call setBatch(32) before start(). The values now are batch=100 and batchSize=9.", ["setBatch(32)"]),
        ("On an ASYNC_FLUSH master transientStorePoolEnable=true helps.", ["transientStorePoolEnable=true"]),
        ("Check the disk (iostat -x 1), then run mqdiag stacks.", ["iostat -x 1"]),
        ("Compare mqadmin topicStatus with mqadmin topicRoute -t T.", ["mqadmin topicRoute -t T"]),
        ("Use Future.get(timeout, unit), not TimeoutOptions.enabled().", ["Future.get(timeout, unit)"]),
        ("Set RequestConfig.custom().setSocketTimeout(…).", ["RequestConfig.custom().setSocketTimeout(…)"]),
        ("In prepareStart take -Xmx2g.", ["-Xmx2g"]),
    ])  # fmt: skip
def test_only_what_is_whole_is_pasted(step: str, whole: list[str]) -> None:
    codes = [part for part, is_code in code_words(step) if is_code]
    assert sorted(pasted(codes)) == whole


def test_long_evidence_takes_no_time() -> None:
    for piece in ("a", "a.", "-", "mqadmin a", "A_", "aB(", "=x", "a(b).c(", "cp -a "):
        sentence = piece * 4000
        assert "".join(part for part, _ in code_words(sentence)) == sentence
        pasted([sentence])
