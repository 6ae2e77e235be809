from __future__ import annotations

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.shutdown import Shutdown, ShutdownHook


def _facts(seconds: float) -> Facts:
    shutdown = Shutdown(
        begun_by="signal",
        thread="SIGTERM handler",
        samples=3,
        seconds=seconds,
        hooks=(
            ShutdownHook(
                thread="order-service-shutdown",
                top="jdk.internal.misc.Unsafe.park",
                doing="latch",
                waits_for_listeners=True,
            ),
        ),
        listeners=("ConsumeMessageThread_CID_orders_1",),
        listener_frame="com.acme.orders.OrderListener.reserve(OrderListener.java:31)",
        group="CID_orders",
    )
    return Facts(stacks=StacksFacts(samples=3, seconds=8.0, judged=True, shutdown=shutdown))


def fires() -> Facts:
    """A hook has waited for a listener for 20 seconds."""
    return _facts(20.3)


def silent() -> Facts:
    """It has waited for four seconds."""
    return _facts(3.9)
