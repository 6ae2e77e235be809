#!/bin/sh
# Looks for text $1 in at most $2 bytes of each log that follows: its path, up to which byte it was searched, from
# which byte on it is searched now. Prints the size of each, and whether its new bytes have the text. A log that is
# smaller now was started again and is searched from its first byte.
text=$1 most=$2
shift 2
while [ $# -gt 2 ]; do
    size=$(stat -c %s "$1") || size=0
    begin=$3
    if [ "$size" -lt "$2" ]; then begin=0; fi
    if [ $((size - begin)) -gt "$most" ]; then begin=$((size - most)); fi
    if [ "$size" -gt "$begin" ] && tail -c +$((begin + 1)) "$1" | grep -q -F -e "$text"; then echo "$size found"
    else echo "$size none"
    fi
    shift 3
done 2>/dev/null
true
