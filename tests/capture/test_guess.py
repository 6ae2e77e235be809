"""What a JVM is called in the list of `mqdiag capture`."""

from __future__ import annotations

from mqdiag.capture.guess import consumer_of, guess
from mqdiag.language import english
from mqdiag.read.command_line import main_class
from tests.folded import folded


@folded(
    "command, started",
    [
        ("java -Xmx1g -cp a.jar:b.jar com.example.Main first", "com.example.Main"),
        ("/opt/java/bin/java @options --add-opens java.base/java.util=ALL-UNNAMED -jar app.jar -v", "app.jar"),
        ("java --module-path mods -m com.example/com.example.Main", "com.example/com.example.Main"),
        ("java -jar", None),
        ("soffice.bin --headless", None),
    ],
)
def test_the_main_class_or_jar(command: str, started: str | None) -> None:
    assert main_class(tuple(command.split())) == started


def test_a_consumer_is_named_by_its_groups() -> None:
    threads = [f'"ConsumeMessageThread_{name}" #1 prio=5\n   java.lang.Thread.State: WAITING\n\n' for name in (
        "CID_b_1", "CID_b_2", "CID_a_1", "12",
    )]  # fmt: skip
    assert english()(consumer_of("".join(threads))) == "consumer of groups CID_a, CID_b"
    assert english()(consumer_of(threads[0])) == "consumer of group CID_b"
    assert english()(consumer_of(threads[3])) == "RocketMQ consumer"


def test_a_broker_by_its_main_class_and_a_client_by_its_threads() -> None:
    broker = ("java", "org.apache.rocketmq.broker.BrokerStartup")
    assert english()(guess(broker, ["ConsumeMessageT"])) == "RocketMQ broker"
    assert english()(guess(("java", "x.Y"), ["main", "PullMessageServ"])) == "RocketMQ client"
    assert english()(guess(("java", "x.Y"), ["main"])) == "JVM"
