#!/bin/sh
# route.sh HOST CELL: sends the requests of a host name to a cell from now on. With `moving` they get 503 with Retry-After, and the script
# waits for the end of those that may change something and began before.
set -eu
host=$1 cell=$2
ask() { printf '%s\n' "$1" | curl -sS --unix-socket "$CELLS_SOCKET" telnet://haproxy; }

# The file is for the next start of HAProxy, and keeps its owner.
{ awk -v host="$host" '$1 != host' "$CELLS_MAP"; echo "$host $cell"; } >"$CELLS_MAP.new"
cat "$CELLS_MAP.new" >"$CELLS_MAP"
rm "$CELLS_MAP.new"
if ask "show map $CELLS_MAP" | grep -qF " $host "; then verb=set; else verb=add; fi
ask "$verb map $CELLS_MAP $host $cell"
ask "show map $CELLS_MAP" | awk -v host="$host" -v cell="$cell" '$2 == host && $3 == cell { found = 1 } END { exit !found }'

[ "$cell" = moving ] || exit 0
while ask "show table writes key $host" | grep -q 'conn_cur=[1-9]'; do sleep 0.2; done
