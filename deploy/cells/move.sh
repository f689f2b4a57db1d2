#!/bin/sh
# move.sh HOST WORKSPACE FROM TO [whole]: moves a workspace to another cell while its host name is served. Where a step fails before the switch,
# everything is as before. docs/scale.md says what it does, and when `whole` is needed.
set -eu
host=$1 workspace=$2 from=$3 to=$4 kind=${5-}
here=$(dirname "$0")
first=$workspace.first.tar rest=$workspace.tar
EDP_PASSPHRASE=$(head -c 24 /dev/urandom | base64)
export EDP_PASSPHRASE
# They would go before the profiles.
unset EDP_URL EDP_KEY_MANAGEMENT
at() { cell=$1; shift; edp "$@" --profile "$CELLS_PROFILES/$cell.json"; }
# Besides the archives those that have not arrived whole.
clean() { rm -f "$first" "$first".part* "$rest" "$rest".part*; }
step() { echo "$(date -u +%T) $1"; }

undo() {
  trap - EXIT
  set +e
  echo "The move failed before the switch" >&2
  for archive in "$first" "$rest"; do
    [ -f "$archive" ] || continue
    why=$(at "$to" workspaces import "$archive" --cancel 2>&1) && break
    case $why in *NOT_FOUND*) continue ;; esac
    echo "$why" >&2
    echo "Whether $to has the workspace is not known, so it stays paused: docs/scale.md." >&2
    exit 1
  done
  at "$from" workspaces resume "$workspace"
  "$here/route.sh" "$host" "$from"
  clean
  exit 1
}

clean
trap undo EXIT
trap 'exit 1' INT TERM
if [ "$kind" != whole ]; then
  step "copy the workspace to $to, while it works"
  at "$from" workspaces export "$first" --workspace "$workspace"
  at "$to" workspaces import "$first" --hold
fi
step "pause the workspace's work"
at "$from" workspaces pause "$workspace"
step "refuse requests for $host"
"$here/route.sh" "$host" moving
step "move what has changed"
if [ "$kind" = whole ]; then
  at "$from" workspaces export "$rest" --workspace "$workspace"
else
  at "$from" workspaces export "$rest" --workspace "$workspace" --after "$first"
fi
at "$to" workspaces import "$rest"
step "send $host to $to"
"$here/route.sh" "$host" "$to"
trap - EXIT INT TERM
step "delete the workspace in $from"
at "$from" workspaces delete "$workspace" --yes
clean
