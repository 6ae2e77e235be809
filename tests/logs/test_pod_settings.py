"""A pod's settings may hold any text; its status says what happened to it."""

from __future__ import annotations

import json

from tests.logs.given import facts

DESCRIBED = """\
Name:             consumer-0
Namespace:        orders
Labels:           app=consumer
Annotations:      note: {annotation}
                  more: {annotation}
Status:           Running
Containers:
  app:
    Image:          acme/consumer:1
    Args:
      --notify-on={argument}
      {argument}
    State:          Running
      Started:      Fri, 20 Nov 2026 10:00:01 +0000
{state}    Ready:          True
    Environment:
      NOTE:    {value}
      REASON:  {value}
    Mounts:         <none>
"""
YAML = """\
kind: Pod
metadata:
  annotations:
    note: {value}
spec:
  containers:
  - name: app
    env:
    - name: NOTE
      value: {value}
    - name: LAST
      value: |
        Reason: {value}
status:
  containerStatuses:
  - name: app
    lastState:
      terminated:
        exitCode: {code}
        reason: {reason}
"""
TOLD = (
    "OOMKilled",
    "java.lang.OutOfMemoryError: Java heap space",
    "Liveness probe failed: connection refused",
    "Out of memory: Killed process 4711 (java) total-vm:8000000kB, anon-rss:4000000kB",
)


def kinds(text: str) -> set[str]:
    return {event.kind for event in facts(text).events}


def described(*, annotation: str = "x", argument: str = "x", value: str = "x", state: str = "") -> str:
    return DESCRIBED.format(annotation=annotation, argument=argument, value=value, state=state)


def inspected(*, env: str = "A=b", label: str = "x", killed: bool = False, indent: int | None = 4) -> str:
    return json.dumps(
        [
            {
                "State": {"Status": "exited", "OOMKilled": killed},
                "Config": {"Env": [env], "Labels": {"a": label}},
            }
        ],
        indent=indent,
    )


def test_settings_tell_nothing() -> None:
    for told in TOLD:
        for text in (
            described(annotation=told),
            described(argument=told),
            described(value=told),
            YAML.format(value=told, code=0, reason="Completed"),
            inspected(env=f"NOTE={told}"),
            inspected(env=told),
            inspected(label=told),
            inspected(env='X="OOMKilled": true'),
            inspected(env='X="OOMKilled": true', indent=None),
        ):
            assert not kinds(text), text


def test_a_status_among_settings_tells() -> None:
    state = "    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n"
    for text in (
        described(state=state),
        described(state=state, value="OOMKilled"),
        YAML.format(value="OOMKilled", code=137, reason="OOMKilled"),
        inspected(env="ALERT=OOMKilled", killed=True),
        inspected(killed=True, indent=None),
    ):
        assert "container-oom-killed" in kinds(text), text


def test_words_about_a_killed_container() -> None:
    for text in (
        "      Reason:       OOMKilled\n",
        "    Last State:  Terminated (OOMKilled)\n",
        "State: Terminated with 137: OOMKilled\n",
        "broker-0-master-0     0/1     OOMKilled          4 (52s ago)   2m11s\n",
        "broker-0-master-0     0/1     Init:OOMKilled     4 (52s ago)   2m11s\n",
        '"reason": "OOMKilled",\n',
        "OOMKilled:true,\n",
        '"OOMKilled": true,\n',
        "Container shop-mq was OOMKilled\n",
        "our pod gets OOMKilled every night\n",
        "OOMKilled\n",
        "Terminated OOMKilled\n",
        "- OOMKilled (exit code 137)\n",
    ):
        assert "container-oom-killed" in kinds(text), text
    for text in (
        "5m   Normal   Note   pod/consumer-0   operator: the pod is restarted when it is OOMKilled\n",
        '5m   Normal   Pulled   pod/consumer-0   Successfully pulled image "acme/OOMKilled-exporter:1" in 2s\n',
        '"OOMKilled": "true",\n',
        "OOMKilled:false,\n",
        "ALERT_REASONS: OOMKilled,Error\n",
        "alert on OOMKilled\n",
    ):
        assert "container-oom-killed" not in kinds(text), text


def test_what_stands_below_another_key_is_no_setting() -> None:
    assert kinds(
        "Node-Selectors:  a=true\nEvents:\n  Warning  FailedScheduling  <unknown>  default-scheduler"
        "  0/3 nodes are available: 3 node(s) didn't match node selector.\n"
    )
    assert kinds(
        "env:\n  rocketmq-spring: 2.1.0\nexception:\n"
        "  CODE: 10006  DESC: send request message to <orders> OK, but wait reply message timeout, 5000 ms.\n"
    )


def test_a_state_tells_a_code_without_a_reason() -> None:
    for code, kind in ((137, "exited-with-137"), (143, "exited-with-143"), (1, "container-exited")):
        state = f"    Last State:     Terminated\n      Reason:       Error\n      Exit Code:    {code}\n"
        assert kinds(described(state=state)) == {kind}


def test_what_a_program_answers_and_says_last_tells_nothing_of_its_container() -> None:
    for state in (
        "    Last State:     Terminated\n      Message:      reason: OOMKilled\n      Exit Code:    0\n",
        "    Liveness:       exec [sh -c echo state: OOMKilled] delay=0s\n",
        "  Warning  Unhealthy  5m  kubelet  Readiness probe failed: reason: OOMKilled\n",
    ):
        assert "container-oom-killed" not in kinds(described(state=state)), state
    said = (
        YAML.format(value="x", code=0, reason="Completed") + "        message: |\n          reason: OOMKilled\n"
    )
    assert "container-oom-killed" not in kinds(said)
    checked = '"Health": {\n  "Log": [\n    {\n      "ExitCode": 1,\n      "Output": "x"\n    }\n  ]\n}\n'
    assert not kinds(inspected() + "\n" + checked)


def test_a_first_annotation_of_several_lines_hides_no_other() -> None:
    text = described(annotation="reason: OOMKilled").replace(
        "Annotations:      note: ",
        "Annotations:      k8s.v1.cni.cncf.io/network-status:\n                    [{}]\n                  note: ",
    )
    assert not kinds(text)
