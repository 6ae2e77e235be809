"""The limits by which thread samples are judged, and the measurements that they come from.

Each was measured on real JVMs (JDK 11, 17, 21 and 25; clients 4.3.2, 4.9.8 and 5.3.3; five samples 2 to 12 s apart).
Their listeners recorded when each message began and ended: 1,016 stuck and 262 progressing consume threads.

| over samples 1 to 5           | stuck threads that show it | progressing threads that show it |
|-------------------------------|---------------------------:|---------------------------------:|
| same frames                   |                        990 |                              213 |
| same frames and lock addresses|                        850 |                               39 |
| cpu= grew by 0.2 ms at most   |                        966 |                                0 |
| cpu= grew by 0.5 ms at most   |                        983 |                                0 |
| cpu= grew by 1 ms at most     |                        990 |                                4 |
| cpu= grew by 2 ms at most     |                        990 |                               15 |

On JDK 8, whose dumps have no cpu=, 14 of 20 busy series showed every thread in the same frames in all samples. The
processor time that the kernel tells (/proc/PID/task/TID/schedstat) grew over 8 s by 0.00 ms in 156 waiting threads that
were stuck (at most by 0.34 ms, before monitors), and by 1.8 ms or more in 183 that progressed.

CPU time of a thread in one wait grew by 0.00 ms; under an answer that trickles in by 0.3 to 0.9 ms, a little between
all samples. The slowest progressing threads grew by 0.8 ms (connection pool timeouts). In warm code, one message costs
0.3 to 1.6 ms over a socket and 0.04 to 0.4 ms in a sleep or wait, all at once: if calls take 5 s each, a series of
10 s shows no more than that.
"""

from __future__ import annotations

# growth of cpu=, in milliseconds

STILL_MS = 0.5
"""growth over the whole run, a little between all samples, up to which a wait is one wait"""
STILL_MS_PER_S = 0.06
"""the same for short runs: a thread that finishes little in a short time grows little too"""
FLOOR_MS = 0.1
"""growth that taking two dumps can cost a thread that does nothing"""
CLOCK_MS = 0.02
"""growth below this is none: cpu= has two digits"""
WORK_MS = 0.03
"""growth between two samples that only work can cost, if there was none between two others"""
BURST_MS = 0.08
"""the least growth between two samples that can stand out"""
BURST_OVER_REST = 4.0
"""one growth stands out from this many times the usual one on; under a trickling answer it was twice at most"""
HIGH_MS = 0.2
"""growth up to which a standstill is sure, and from which on a wait that costs nothing can be many waits"""
BODY_MS = 1.2
"""growth in a thread that reads on in one answer: 0.2 to 0.9 ms were measured under one that trickles"""
BODY_MS_PER_S = 0.12
"""the same for short runs"""
TRICKLE_MS_PER_S = 0.5
"""growth that an answer of single bytes costs, in a call that is known to be the same one by its own object"""
STEPS_MS_PER_S = 1.0
"""growth in a library that checks twice a second if it still has to wait: 0.1 was measured, and 0.5 in a young JVM"""
MONITOR_MS_PER_S = 0.03
"""growth from the JVM's own check of a monitor, once a second: 0.02 was measured"""
PIPE_MS_PER_S = 0.06
"""growth of a thread that looks once a second if the other end of its pipe lives: 0.04 on a busy machine"""
SPIN_SHARE = 0.05
"""share of a core from which a running thread computes; 20 threads on one core get this much each"""

# time that a run of samples spans, in seconds

SHORT_RUN_S = 2.0
"""two samples nearer to each other than this say nothing about progress"""
LONG_RUN_S = 5.0
"""time from which silence is a standstill: calls of two and four seconds are usual, and look the same until they end"""
SURE_RUN_S = 7.5
"""time from which it is sure: calls of five or six seconds are slow, but not rare"""
LATE_RUN_S = 7.5
"""the same for a thread that moved earlier in the series"""
LEAST_SERIES_S = 1.0
"""samples of a series shorter than this are too close to judge"""
SAME_INSTANT_S = 0.005
"""dumps whose uptimes differ by no more are one dump"""
CALLS_OF_OTHERS = 2.1
"""a thread is stuck if it waits longer than this many calls of the others in its pool, by the longest one that ended;
a little more than two, as a call goes on for some time after the last sample that shows it"""

# numbers of samples

LATE_RUN_SAMPLES = 4
"""samples that must show a standstill in a thread that moved earlier in the series"""
ENOUGH_SLEEPS = 5
"""samples from which growth between all of them shows one long back-off rather than a sleep for each message"""
SEND_PATH_SAMPLES = 3
"""samples that must all show a broker's send threads before the put lock"""
SAMPLES_OF_USERS = 3
"""samples that must all show the same users of a connection pool, and the same threads that wait for it"""

# without CPU times

UNLIKELY_BY_CHANCE = 1_000
"""ways in which a pool's threads could have been users and waiting ones: fewer prove nothing when all samples agree"""
MOVED_SHARE = 0.1
"""share of the objects that stay as long as their threads: up to it another address is another wait, no collection"""
COARSE_WORK_MS = 15.0
"""growth of a time in hundredths of a second that is more than one step of its clock"""

# allocated=, in bytes

EXACT_BYTES = 10 * 1024**2
"""from here on jstack prints whole megabytes, which hide the few KiB that a message can cost"""
WORK_BYTES_PER_S = 512 * 1024
"""rate from which a thread that computes is sure to make new objects for its work"""
