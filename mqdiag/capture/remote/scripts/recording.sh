#!/bin/sh
# Takes a flight recording of process $1 by way of files with $2 in their names: of $3 seconds with the settings $4, or
# what the recordings that run hold, where $3 is `running`. The words that follow are options of JFR.start or JFR.dump.
# Prints its size, then the recording. Stops what it started and removes its files, also when the connection is lost.
tool=$(find_tool "$1" jcmd) || { echo "there is no jcmd there" >&2; exit 127; }
process=$1 name=mqdiag-$2 seconds=$3 settings=$4 started=
file=/tmp/mqdiag-$1-$2
shift 4
umask 022
stop() {
    [ -z "$started" ] || "$tool" "$process" JFR.stop "name=$name" </dev/null
    started=
}
trap 'stop >/dev/null 2>&1; rm -f "$file.jfr" "$file.jfc"' EXIT
trap 'exit 1' HUP INT TERM PIPE
if [ "$seconds" = running ]; then
    answer=$("$tool" "$process" JFR.dump "filename=$file.jfr" "$@" </dev/null 2>&1)
else
    (set -C; printf '%s' "$settings" > "$file.jfc") || exit 1
    answer=$("$tool" "$process" JFR.start "name=$name" "settings=$file.jfc" "filename=$file.jfr" "$@" </dev/null 2>&1)
    case $answer in
        *'Started recording'*) started=yes ;;
        *) echo "$answer" | tail -n 1 >&2; exit 1 ;;
    esac
    sleep "$seconds" &
    wait $!
    answer=$(stop 2>&1)
    started=
fi
[ -s "$file.jfr" ] || { echo "$answer" | tail -n 1 >&2; exit 1; }
stat -c %s "$file.jfr"
cat "$file.jfr"
