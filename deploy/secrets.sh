#!/bin/sh
# Makes the secrets that compose.yaml names, each in a file of deploy/secrets. It never replaces one.
set -eu
cd "$(dirname "$0")"
# Containers run by other accounts and must read the files; the folder keeps everybody else out.
mkdir -p secrets
chmod 700 secrets
umask 022
keep() { [ -s "secrets/$1" ] || cat >"secrets/$1"; }

openssl rand -hex 24 | keep postgres_password
openssl rand -hex 24 | keep database_password
printf 'postgres://edp:%s@postgres:5432/edp\n' "$(cat secrets/database_password)" | keep database_url
openssl rand -base64 32 | keep encryption_key
npx -y pnpm@12 --silent edp keys generate --type management | keep management_key
