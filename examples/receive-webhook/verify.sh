#!/usr/bin/env bash
# Verifies one delivery that was kept: its body from standard input, its headers from the environment. Needs openssl.
set -euo pipefail

# recipe
# Whether a delivery is the platform's, and not older than five minutes. $1 is the file with the body as it came.
is_genuine() {
  local age key expected
  [[ $WEBHOOK_TIMESTAMP =~ ^[1-9][0-9]{0,14}$ ]] || return 1 # arithmetic would run what it holds
  age=$((EPOCHSECONDS - WEBHOOK_TIMESTAMP))
  ((age >= -300 && age <= 300)) || return 1
  key=$(base64 -d <<<"${WEBHOOK_SECRET#whsec_}" | od -An -v -tx1 | tr -d ' \n')
  expected=$({ printf '%s.%s.' "$WEBHOOK_ID" "$WEBHOOK_TIMESTAMP" && cat "$1"; } |
    openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64)
  [[ -n $expected && " $WEBHOOK_SIGNATURE " == *" v1,$expected "* ]]
}
# end of the recipe

body=$(mktemp)
trap 'rm -f "$body"' EXIT
cat >"$body"
if is_genuine "$body"; then echo genuine; else
  echo refused
  exit 1
fi
