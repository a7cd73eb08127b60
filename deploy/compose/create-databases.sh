#!/bin/bash
# Runs before each migration, as PostgreSQL's superuser (PGHOST, PGUSER, PGPASSWORD): creates a database for each service that
# lacks one, and a user who owns it and cannot access others. Changes nothing that exists.
set -euo pipefail

create() { # SERVICE PASSWORD
  psql --quiet --no-psqlrc -v ON_ERROR_STOP=1 --dbname postgres \
    -v service="$1" -v password="$2" -v database="skyfolio_$1" <<'SQL'
SELECT format('CREATE ROLE %I LOGIN PASSWORD %L', :'service', :'password')
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'service') \gexec
SELECT format('CREATE DATABASE %I OWNER %I', :'database', :'service')
WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'database') \gexec
REVOKE ALL ON DATABASE :"database" FROM PUBLIC;
SQL
}

create auth "$AUTH_DATABASE_PASSWORD"
create media "$MEDIA_DATABASE_PASSWORD"
create folders "$FOLDERS_DATABASE_PASSWORD"
create print-orders "$PRINT_ORDERS_DATABASE_PASSWORD"
