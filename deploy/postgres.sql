-- The role and the database of the service, for psql as a superuser of PostgreSQL 15 or newer:
--   EDP_DATABASE_PASSWORD_FILE=FILE psql --file deploy/postgres.sql
-- The role owns its database and has no other rights. No extension is needed.
\set ON_ERROR_STOP on
\set password `cat "$EDP_DATABASE_PASSWORD_FILE"`

CREATE ROLE edp LOGIN PASSWORD :'password'
  NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS;
CREATE DATABASE edp OWNER edp ENCODING 'UTF8' TEMPLATE template0;
-- By default every role of the server may connect to every database and create temporary tables there.
REVOKE ALL ON DATABASE edp FROM PUBLIC;

\connect edp
REVOKE ALL ON SCHEMA public FROM PUBLIC;

-- A read-only role for backups and reports. It has no password: set one, or allow it in pg_hba.conf.
CREATE ROLE edp_reader LOGIN
  NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS;
GRANT CONNECT ON DATABASE edp TO edp_reader;
GRANT USAGE ON SCHEMA public TO edp_reader;
ALTER DEFAULT PRIVILEGES FOR ROLE edp IN SCHEMA public GRANT SELECT ON TABLES TO edp_reader;
ALTER DEFAULT PRIVILEGES FOR ROLE edp IN SCHEMA public GRANT SELECT ON SEQUENCES TO edp_reader;
