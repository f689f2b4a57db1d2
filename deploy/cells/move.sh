#!/bin/sh
# move.sh HOST WORKSPACE FROM TO: moves a workspace to another cell. Where a step fails before the switch, everything is as before.
set -eu
host=$1 workspace=$2 from=$3 to=$4
here=$(dirname "$0")
archive=$workspace.tar
EDP_PASSPHRASE=$(head -c 24 /dev/urandom | base64)
export EDP_PASSPHRASE
at() { cell=$1; shift; edp "$@" --profile "$CELLS_PROFILES/$cell.json"; }
step() { echo "$(date -u +%T) $1"; }

undo() {
  trap - EXIT
  echo "The move failed" >&2
  if [ -f "$archive" ] && ! why=$(at "$to" workspaces import "$archive" --cancel 2>&1); then
    case $why in
      *NOT_FOUND*) ;;
      *) echo "$why" >&2
        echo "Whether $to has the workspace is not known: it stays paused. See docs/scale.md#when-a-move-fails. Passphrase of $archive: $EDP_PASSPHRASE" >&2
        exit 1 ;;
    esac
  fi
  at "$from" workspaces resume "$workspace"
  "$here/route.sh" "$host" "$from"
  rm -f "$archive"
  exit 1
}

[ ! -e "$archive" ]
trap undo EXIT
trap 'exit 1' INT TERM
step "pause the workspace's work in $from"
at "$from" workspaces pause "$workspace"
step "refuse requests for $host"
"$here/route.sh" "$host" moving
step "export"
at "$from" workspaces export "$archive" --workspace "$workspace"
step "import"
at "$to" workspaces import "$archive"
step "send $host to $to"
"$here/route.sh" "$host" "$to"
trap - EXIT INT TERM
step "delete the workspace in $from"
at "$from" workspaces delete "$workspace" --yes
rm "$archive"
