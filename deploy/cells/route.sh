#!/bin/sh
# route.sh HOST CELL: sends requests for a host name to a cell, now and after a restart of HAProxy. With `moving` they get 503 with Retry-After, and the
# script waits until those that may change something, and began before, have ended.
set -eu
host=$1 cell=$2
ask() { printf '%s\n' "$1" | curl -sS --unix-socket "$CELLS_SOCKET" telnet://haproxy; }

grep -v "^$host " "$CELLS_MAP" >"$CELLS_MAP.new" || true
echo "$host $cell" >>"$CELLS_MAP.new"
cat "$CELLS_MAP.new" >"$CELLS_MAP"
rm "$CELLS_MAP.new"
# An answer that is not empty is an error: the name is not in the map yet.
[ -z "$(ask "set map $CELLS_MAP $host $cell" | tr -d '\n')" ] || ask "add map $CELLS_MAP $host $cell"

if [ "$cell" = moving ]; then
  while ask "show table writes key $host" | grep -q 'conn_cur=[1-9]'; do sleep 0.2; done
fi
ask "show map $CELLS_MAP" | grep -q " $host $cell\$" || { echo "The map has not changed" >&2; exit 1; }
