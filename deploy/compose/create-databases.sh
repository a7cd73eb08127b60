#!/bin/bash
# Runs at the first start of PostgreSQL: creates a database for each service, and a user who owns it and cannot access others.
set -euo pipefail

create() { # SERVICE PASSWORD
  psql --quiet --no-psqlrc -v ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres \
    -v service="$1" -v password="$2" -v database="skyfolio_$1" <<'SQL'
CREATE ROLE :"service" LOGIN PASSWORD :'password';
CREATE DATABASE :"database" OWNER :"service";
REVOKE ALL ON DATABASE :"database" FROM PUBLIC;
SQL
}

create auth "$AUTH_DATABASE_PASSWORD"
create media "$MEDIA_DATABASE_PASSWORD"
create folders "$FOLDERS_DATABASE_PASSWORD"
