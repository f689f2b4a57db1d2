#!/bin/sh
# Creates the secrets of compose.yaml as files in deploy/secrets. Existing files are not replaced.
set -eu
cd "$(dirname "$0")"
# The accounts of the containers must read the files; the folder keeps all other accounts out.
mkdir -p secrets
chmod 700 secrets
umask 022
keep() { [ -s "secrets/$1" ] || cat >"secrets/$1"; }

openssl rand -hex 24 | keep postgres_password
openssl rand -hex 24 | keep database_password
printf 'postgres://edp:%s@postgres:5432/edp\n' "$(cat secrets/database_password)" | keep database_url
openssl rand -base64 32 | keep encryption_key
npx -y pnpm@12 --silent edp keys generate --type management | keep management_key
