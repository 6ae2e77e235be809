"""Libraries that a build moved into another package."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mqdiag.knowledge.own_code import unshaded
from tests.folded import folded
from tests.threads.made import READ, At, report

LISTENER = (
    "com.acme.Client.call(Client.java:48)",
    "com.acme.Listener.consumeMessage(Listener.java:19)",
    "org.apache.rocketmq.client.impl.consumer.ConsumeMessageConcurrentlyService$ConsumeRequest.run"
    "(ConsumeMessageConcurrentlyService.java:402)",
    "java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1136)",
    "java.lang.Thread.run(Thread.java:840)",
)
OK_HTTP = (
    *READ,
    "okio.InputStreamSource.read(JvmOkio.kt:90)",
    "okhttp3.internal.http1.Http1ExchangeCodec.readResponseHeaders(Http1ExchangeCodec.kt:178)",
    "okhttp3.internal.connection.RealCall.execute(RealCall.kt:154)",
    *LISTENER,
)


@pytest.mark.parametrize("package", ["", "com.bigco.shaded.", "com.bigco.libs.relocated.", "repackaged."])
def test_a_moved_client_library_is_still_known(tmp_path: Path, package: str) -> None:
    frames = tuple(re.sub(r"^(okio|okhttp3|org)\.", rf"{package}\1.", frame) for frame in OK_HTTP)
    (found,) = report(tmp_path, [[At("ConsumeMessageThread_1", 26, frames)]] * 5).findings
    assert (found.rule, found.cause) == ("stuck-socket-read", "missing-http-timeout")
    assert found.evidence["library"] == "OkHttp"
    assert found.evidence["frame"] == "com.acme.Client.call(Client.java:48)"
    assert found.evidence["listener"] == "com.acme.Listener.consumeMessage(Listener.java:19)"


@folded(
    "method, home",
    [
        ("com.bigco.shaded.okhttp3.internal.RealCall.execute", "okhttp3.internal.RealCall.execute"),
        ("io.grpc.netty.shaded.io.netty.channel.nio.NioEventLoop.run", "io.netty.channel.nio.NioEventLoop.run"),
        (
            "com.aliyun.openservices.shade.com.alibaba.rocketmq.remoting.netty.ResponseFuture.waitResponse",
            "com.alibaba.rocketmq.remoting.netty.ResponseFuture.waitResponse",
        ),
        ("com.acme.shaded.rocketmq.remoting.A.b", "org.apache.rocketmq.remoting.A.b"),
        # the user's own package may be called so
        ("com.acme.shaded.Pricing.call", "com.acme.shaded.Pricing.call"),
        ("com.acme.Shaded.call", "com.acme.Shaded.call"),
    ],
)
def test_names_at_home(method: str, home: str) -> None:
    assert unshaded((method,)) == (home,)
