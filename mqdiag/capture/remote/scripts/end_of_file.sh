#!/bin/sh
# Prints the last $2 bytes of file $1, without the first line where $3 is `cut`.
[ -r "$1" ] || { echo "this user may not read it" >&2; exit 1; }
if [ "$3" = cut ]; then tail -c "$2" "$1" | tail -n +2
else tail -c "$2" "$1"
fi
