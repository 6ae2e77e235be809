#!/bin/sh
# Prints time, kind, size and path of each log, and of the 100 newest files beside it that begin with its name.
# A folder may have more files than the arguments of one command take, so `printf`, which is part of the shell,
# gives them to xargs.
for log; do
    stat -c '%Y|%F|%s|%n' "$log"
    printf '%s\0' "${log%.log}"* | xargs -0 stat -c '%Y|%F|%s|%n' | sort -rn | head -n 100
done 2>/dev/null
true
