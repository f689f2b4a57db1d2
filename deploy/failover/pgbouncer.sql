-- The settings of sessions that the service sends at each connection, and that pgbouncer ignores. For psql as the role edp.
ALTER ROLE edp SET idle_in_transaction_session_timeout = '8s';
ALTER ROLE edp SET jit = off;
ALTER ROLE edp SET lock_timeout = '10s';
ALTER ROLE edp SET statement_timeout = '30s';
