#!/bin/sh
# Takes a thread dump of process $1; its threads' CPU times and switches come first, up to a line that ends them.
(cd "/proc/$1/task" && grep -E '^[0-9]+ [0-9]+ |^NSpid|ctxt' ./*/schedstat ./*/status) 2>/dev/null
echo 'mqdiag: end of the CPU times'
if tool=$(find_tool "$1" jcmd); then "$tool" "$1" Thread.print -l </dev/null
elif tool=$(find_tool "$1" jstack); then "$tool" -l "$1" </dev/null
else
    echo "there is no jcmd and no jstack there" >&2
    exit 127
fi
