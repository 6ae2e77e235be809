#!/bin/sh
# Takes a heap dump of process $1, by way of a file with $2 in its name, with the options that follow; prints its
# size, then the dump. Removes the file, also when the connection is lost.
tool=$(find_tool "$1" jcmd) || exit 127
process=$1
dump=/tmp/mqdiag-$1-$2.hprof
shift 2
trap 'rm -f "$dump"' EXIT
trap 'exit 1' HUP INT TERM PIPE
answer=$("$tool" "$process" GC.heap_dump "$@" "$dump" </dev/null 2>&1) || { echo "$answer" >&2; exit 1; }
if [ ! -f "$dump" ] || ! echo "$answer" | grep -q 'created'; then
    echo "$answer" | tail -n 1 >&2
    exit 1
fi
stat -c %s "$dump"
cat "$dump"
