"""Spark, quietly."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from py4j.protocol import Py4JError
from pyspark import SparkConf, SparkContext

from mqdiag.errors import MqdiagError, UsageError, first_line
from mqdiag.fleet.options import FleetOptions
from mqdiag.fleet.work.task import ATTEMPTS, TASK_ITEMS
from mqdiag.text import NOTHING, say

_LOG4J = """\
rootLogger.level = {level}
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %d{{yyyy-MM-dd'T'HH:mm:ss.SSS}} %p %c{{1}}: %m%n%ex
"""

QUICK_JVM = "-XX:TieredStopAtLevel=1"
"""the analysis is no work of the JVM's, whose own compiler would take cores from it"""
DEFAULTS = {
    # Spark puts these before spark.executor.extraJavaOptions, which stay the user's.
    "spark.executor.defaultJavaOptions": QUICK_JVM,
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # Each incident of a task may end its executor ATTEMPTS times; then one more attempt finishes the task.
    "spark.task.maxFailures": str(ATTEMPTS * TASK_ITEMS + 1),
}
"""what `--conf` can put others in the place of"""

LOCAL_DEFAULTS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}
NOT_NEEDED = "killed by driver"
"""in what Spark says of an executor that dynamic allocation gave back"""
ANSWER_S = 5.0
"""time in which a master must take a connection"""
UNDER_SUBMIT = "PYSPARK_GATEWAY_PORT"
"""set by spark-submit, which has started the JVM then and knows the master"""


@contextmanager
def spark_context(options: FleetOptions) -> Iterator[SparkContext]:
    """Start Spark, and stop it with everything that it started.

    What the JVM writes goes to a log file; of a start that fails the last lines are told.

    Raises:
        UsageError: there is no Java, or only Spark Connect.
        MqdiagError: Spark does not start, or no master answers.
    """
    submitted = UNDER_SUBMIT in os.environ
    _refuse_connect(options.master)
    if not submitted:
        _check_java()
        _check_master(options.master)
    with tempfile.TemporaryDirectory(prefix="mqdiag-spark-") as folder:
        log = Path(options.spark_log or f"{folder}/spark.log")
        with _streams_to(log) if not submitted else contextlib.nullcontext():
            try:
                context = SparkContext.getOrCreate(_conf(options, Path(folder), submitted))
            except Exception as error:
                raise MqdiagError(say("Spark does not start: {why}", why=_why(error, log))) from error
        if submitted:
            context.setLogLevel("ERROR")
        try:
            yield context
        except Py4JError as error:
            # Its text must be read while the JVM is there.
            raise MqdiagError(
                say("Spark gave up: {spark_cause}; run the same again to go on", spark_cause=spark_cause(error))
            ) from error
        finally:
            with contextlib.suppress(Exception):
                context.cancelAllJobs()
            with contextlib.suppress(Exception):  # of a JVM that is gone already
                context.stop()
            _end_gateway(submitted)


def cores_of_executor(context: SparkContext) -> int:
    """How many tasks an executor has at a time; where executors differ, their mean."""
    spark = context._jsc.sc()
    processes = int(spark.getExecutorMemoryStatus().size())  # the driver is one of them
    # Not the default parallelism: users set it for shuffles.
    tasks = int(spark.maxNumConcurrentTasks(spark.resourceProfileManager().defaultResourceProfile()))
    return max(1, tasks // max(1, processes - 1))


def lost_executors(context: SparkContext) -> int:
    """How many executors have ended, less those that the driver ended because it did not need them."""
    every = context._jsc.sc().statusStore().executorList(False)
    ended = [one for place in range(every.size()) if not (one := every.apply(place)).isActive()]
    return sum(NOT_NEEDED not in str(one.removeReason()) for one in ended)


def _conf(options: FleetOptions, folder: Path, submitted: bool) -> SparkConf:
    conf = SparkConf().setAppName("mqdiag fleet")
    master = options.master or (None if submitted else "local[*]")
    if master is not None:
        conf.setMaster(master)
    settings = dict(DEFAULTS)
    if not submitted:
        log4j = folder / "log4j2.properties"
        log4j.write_text(_LOG4J.format(level="info" if options.spark_log else "error"))
        given = options.conf.get("spark.driver.extraJavaOptions", "")
        java = (f"-Dlog4j2.configurationFile={log4j}", QUICK_JVM, given)
        settings["spark.driver.extraJavaOptions"] = " ".join(filter(None, java))
        # PySpark reads the variable, not the setting, unless spark-submit has started it.
        os.environ["PYSPARK_PYTHON"] = options.conf.get(
            "spark.pyspark.python", os.environ.get("PYSPARK_PYTHON", sys.executable)
        )
    if _is_local(master):
        settings |= LOCAL_DEFAULTS
    settings |= {key: value for key, value in options.conf.items() if key != "spark.driver.extraJavaOptions"}
    return conf.setAll(list(settings.items()))


def _is_local(master: str | None) -> bool:
    return master is not None and master.startswith("local")


def _check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if home and not os.access(f"{home}/bin/java", os.X_OK):
        raise UsageError(say("JAVA_HOME={home}: no program bin/java is there", home=home))
    if not home and shutil.which("java") is None:
        raise UsageError(
            say(
                "Spark needs Java 17 or newer, and there is none (Debian: apt-get install"
                " openjdk-17-jre-headless; elsewhere set JAVA_HOME)"
            )
        )


def _refuse_connect(master: str | None) -> None:
    """A Spark Connect server takes no Python that runs on executors as this does: tasks with processes of their own."""
    remote = os.environ.get("SPARK_REMOTE")
    if remote is None and not (master or "").startswith("sc://"):
        return
    raise UsageError(
        say(
            "{master}: mqdiag fleet does not run through Spark Connect; name the cluster itself, such as"
            " --master spark://host:7077, or use spark-submit{unset}",
            master=remote or master,
            unset=say(", without SPARK_REMOTE") if remote is not None else NOTHING,
        )
    )


def _check_master(master: str | None) -> None:
    """Spark tries a standalone master for a minute and then tells a stack trace."""
    named = (master or "").partition("://")
    if named[0] != "spark":
        return
    reasons = []
    for place in named[2].split(","):
        host, _, port = place.rpartition(":")
        try:
            with socket.create_connection((host.strip("[]"), int(port)), timeout=ANSWER_S):
                return
        except (OSError, ValueError) as error:
            reasons.append(first_line(error))
    raise MqdiagError(
        say(
            "Spark does not start: no master answers at {master}: {reasons}",
            master=master,
            reasons=tuple(reasons),
        )
    )


@contextmanager
def _streams_to(log: Path) -> Iterator[None]:
    """Point the streams at the log while the JVM is started, which keeps them."""
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        target = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    except OSError as error:
        raise UsageError(say("--spark-log {log}: {reason}", log=str(log), reason=error.strerror)) from error
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    saved = {number: os.dup(number) for number in (1, 2)}
    try:
        for number in saved:
            os.dup2(target, number)
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        for number, copy in saved.items():
            os.dup2(copy, number)
            os.close(copy)
        os.close(target)


def spark_cause(error: BaseException) -> str:
    """The line of a Spark error that names what happened; the rest is stack traces of two languages."""
    try:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    except Exception:
        lines = []
    told = [line for line in lines if re.match(r"(\w+\.)*\w*(Error|Exception|Failure)\b.*: ", line)]
    # Of a task that did not come to Python, Spark names what happened behind the executor.
    told = told or re.findall(r" \(TID \d+\) \(\S+ executor \w+\): (.+)", "\n".join(lines))
    return (told or lines or [type(error).__name__])[-1][:300]


CAUSES = (
    r"^Caused by: (.+)",
    r"^: (.+)",
    r'^Exception in thread "main" (.+)',
    r"^(.*rror:.+)",
    r"^(.* ERROR .+)",
)
"""how Java, Py4J and the log of Spark tell why a start failed; the first form that is there tells most"""


def start_cause(error: str, log: str) -> str:
    """The line that names why Spark did not start; without one the first line of the error.

    Args:
        error: message of the exception.
        log: what the JVM wrote.
    """
    told = f"{error}\n{log}"
    found = next((match for form in CAUSES if (match := re.search(form, told, re.MULTILINE))), None)
    return (found[1] if found else error.strip().partition("\n")[0])[:300]


def _why(error: Exception, log: Path) -> str:
    try:
        text = log.read_text(errors="replace")
    except OSError:
        text = ""
    return start_cause(str(error) or type(error).__name__, text)


def _end_gateway(submitted: bool) -> None:
    """End the JVM too: it would live as long as this Python process, and tests start many."""
    gateway = SparkContext._gateway
    if submitted or gateway is None:
        return
    process = getattr(gateway, "proc", None)
    with contextlib.suppress(Exception):
        gateway.shutdown()
    SparkContext._gateway = None
    SparkContext._jvm = None
    if process is not None:
        with contextlib.suppress(Exception):
            process.stdin.close()
        try:
            process.wait(20)
        except Exception:
            process.kill()
            process.wait()
