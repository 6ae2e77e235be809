#!/bin/sh
# Asks process $1; the words of the question follow.
if ! tool=$(find_tool "$1" jcmd); then
    echo "there is no jcmd there" >&2
    exit 127
fi
"$tool" "$@" </dev/null
