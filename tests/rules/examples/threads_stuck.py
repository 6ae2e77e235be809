from __future__ import annotations

from msgspec import structs

from mqdiag.facts import Facts
from tests.rules.examples import stuck_socket_read
from tests.rules.examples.standstill import example

WEB = structs.replace(
    stuck_socket_read.READ,
    threads=tuple(f"http-nio-8080-exec-{number}" for number in range(1, 5)),
    role="pool",
    pool="http-nio-8080-exec",
    pool_size=4,
    group=None,
    listener=None,
    frame="com.acme.mall.CheckoutController.order(CheckoutController.java:48)",
)


def fires() -> Facts:
    """All four threads of a web server in the same HTTP read in five samples."""
    return example(WEB)


def silent() -> Facts:
    """The same read by consume threads is another rule's business."""
    return example(stuck_socket_read.READ)
