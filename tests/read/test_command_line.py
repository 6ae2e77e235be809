"""What a JVM's command line tells, and what it keeps to itself."""

from __future__ import annotations

from mqdiag.read.command_line import NOT_SHOWN, main_class, system_properties

COMMAND = (
    "java", "-Xmx1g", "-cp", "a.jar", "-Dorders.url=http://orders", "-Djavax.net.ssl.keyStorePassword=hunter22",
    "-Drocketmq.client.secretKey=s3cret", "-Dapp.api-key=k", "-Dkeys.number=4", "com.acme.Main", "-Dnot.of=java",
)  # fmt: skip


def test_properties_are_those_of_the_jvm_and_secrets_are_not_shown() -> None:
    assert main_class(COMMAND) == "com.acme.Main"
    assert system_properties(COMMAND) == {
        "orders.url": "http://orders",
        "javax.net.ssl.keyStorePassword": NOT_SHOWN,
        "rocketmq.client.secretKey": NOT_SHOWN,
        "app.api-key": NOT_SHOWN,
        "keys.number": "4",
    }
