#!/bin/sh
# Prints `jvm PID USER` or `denied PID USER`, then a line for each argument and each name of a thread.
echo "host $(hostname)"
for process in /proc/[0-9]*; do
    if grep -q '/libjvm\.so' "$process/maps" 2>/dev/null; then kind=jvm
    elif [ "$(cat "$process/comm" 2>/dev/null)" = java ]; then kind=denied
    else continue
    fi
    echo "$kind ${process#/proc/} $(stat -c %U "$process")"
    tr '\0' '\n' < "$process/cmdline" | sed 's/^/argument /'
    cat "$process"/task/*/comm 2>/dev/null | sort -u | sed 's/^/thread /'
done
true
