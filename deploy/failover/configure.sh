#!/bin/sh
# Fills the templates of this folder for one host:
#   configure.sh CLUSTER_ENV db1|db2|db3|app TARGET
# TARGET gets patroni.yml and etcd.env on a database host, and haproxy.cfg on a host that runs an instance.
set -eu
. "$(realpath "$1")"
NAME=$2 target=$3
templates=$(dirname "$0")
case $NAME in
  db1) ADDRESS=$DB1 ;;
  db2) ADDRESS=$DB2 ;;
  db3) ADDRESS=$DB3 ;;
  app) ADDRESS=127.0.0.1 ;;
  *) echo "configure.sh: the name is db1, db2, db3 or app" >&2; exit 2 ;;
esac

fill() {
  for name in NAME ADDRESS DB1 DB2 DB3 NETWORK POSTGRES_PORT PATRONI_PORT ETCD_PORT ETCD_PEER_PORT HAPROXY_PORT \
    POSTGRES_BIN POSTGRES_DATA POSTGRES_SOCKETS ETCD_DATA SUPERUSER_PASSWORD REPLICATION_PASSWORD; do
    eval "value=\${$name-}"
    printf 's|@%s@|%s|g\n' "$name" "$value"
  done | sed -f /dev/stdin "$templates/$1" >"$target/$1"
}

mkdir -p "$target"
umask 077
if [ "$NAME" = app ]; then
  fill haproxy.cfg
else
  SUPERUSER_PASSWORD=$(cat "$SECRETS/superuser")
  REPLICATION_PASSWORD=$(cat "$SECRETS/replication")
  fill patroni.yml
  fill etcd.env
fi
