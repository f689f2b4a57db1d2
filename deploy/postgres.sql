-- The role and the database of the service, for psql as a superuser of PostgreSQL 15 or newer:
--   EDP_DATABASE_PASSWORD_FILE=FILE psql --file deploy/postgres.sql
-- The role owns its database and has no other rights. As its owner it creates the trusted extensions pg_trgm and btree_gin.
-- What exists already is kept, so that it can be run again after the database was dropped. The role then has the password of the file.
\set ON_ERROR_STOP on
\set password `cat "$EDP_DATABASE_PASSWORD_FILE"`

SELECT 'CREATE ROLE edp' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'edp') \gexec
ALTER ROLE edp LOGIN PASSWORD :'password'
  NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS;
SELECT $$CREATE DATABASE edp OWNER edp ENCODING 'UTF8' TEMPLATE template0$$
  WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'edp') \gexec
-- By default every role of the server may connect to every database and create temporary tables there.
REVOKE ALL ON DATABASE edp FROM PUBLIC;

\connect edp
REVOKE ALL ON SCHEMA public FROM PUBLIC;

-- A read-only role for backups and reports. It has no password: set one, or allow it in pg_hba.conf.
SELECT 'CREATE ROLE edp_reader' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'edp_reader') \gexec
ALTER ROLE edp_reader LOGIN
  NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS;
GRANT CONNECT ON DATABASE edp TO edp_reader;
GRANT USAGE ON SCHEMA public TO edp_reader;
ALTER DEFAULT PRIVILEGES FOR ROLE edp IN SCHEMA public GRANT SELECT ON TABLES TO edp_reader;
ALTER DEFAULT PRIVILEGES FOR ROLE edp IN SCHEMA public GRANT SELECT ON SEQUENCES TO edp_reader;
