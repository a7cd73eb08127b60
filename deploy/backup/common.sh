# Shared by backup.sh, restore.sh and prune.sh; see docs/operations.md. Sourced, not run.
set -euo pipefail
# Those with a database; each commits events to an outbox in it.
services=(auth media folders print-orders)

die() {
  printf '%s\n' "$*" >&2
  exit 1
}

say() { printf '%s %s\n' "$(date -u +%H:%M:%S)" "$*"; }

need() {
  local program
  for program in "$@"; do
    command -v "$program" >/dev/null || die "$program is missing (Debian: apt-get install postgresql-client rclone)."
  done
}

# The URL of a service's database: AUTH_DATABASE_URL and so on, the variables of the migrations.
url_of() {
  local name="${1^^}_DATABASE_URL"
  name=${name//-/_}
  [ -n "${!name:-}" ] || die "$name is missing: the URL of the database of $1."
  printf '%s' "${!name}"
}

# Runs a PostgreSQL client on the database of a service: `on media psql …`. The password, that of the URL or
# MEDIA_DATABASE_PASSWORD, is passed in the environment, since every user of a machine can read command lines.
on() {
  local url program=$2 password apart="${1^^}_DATABASE_PASSWORD"
  url=$(url_of "$1") || exit 1
  apart=${apart//-/_}
  shift 2
  if [[ $url =~ ^(postgres(ql)?://[^:@/]*):([^@/]*)@(.*)$ ]]; then
    url=${BASH_REMATCH[1]}@${BASH_REMATCH[4]}
    password=${BASH_REMATCH[3]//\\/\\\\}
    printf -v password '%b' "${password//%/\\x}"
    local -x PGPASSWORD=$password
  fi
  [ -z "${!apart:-}" ] || local -x PGPASSWORD=${!apart}
  # Those of the database are for sessions of services.
  local -x PGOPTIONS='-c statement_timeout=0 -c idle_in_transaction_session_timeout=0'
  "$program" -d "$url" "$@"
}

# Where rclone finds the objects of the system, from the settings of media.
live_objects() {
  if [ -n "${S3_ENDPOINT:-}" ]; then
    printf 'skyfolio:%s' "${S3_BUCKET:?is missing}"
  else
    printf '%s/objects' "${OBJECT_STORE_DIR:?or S3_ENDPOINT is missing, as media has it}"
  fi
}

if [ -n "${S3_ENDPOINT:-}" ]; then
  export RCLONE_CONFIG_SKYFOLIO_TYPE=s3 RCLONE_CONFIG_SKYFOLIO_PROVIDER="${RCLONE_S3_PROVIDER:-Other}"
  export RCLONE_CONFIG_SKYFOLIO_ENDPOINT="$S3_ENDPOINT" RCLONE_CONFIG_SKYFOLIO_REGION="${S3_REGION:-us-east-1}"
  export RCLONE_CONFIG_SKYFOLIO_ACCESS_KEY_ID="${S3_ACCESS_KEY:?is missing}"
  export RCLONE_CONFIG_SKYFOLIO_SECRET_ACCESS_KEY="${S3_SECRET_KEY:?is missing}"
  # The bucket exists: no permission to create one is needed.
  export RCLONE_CONFIG_SKYFOLIO_NO_CHECK_BUCKET=true
fi

# rclone without the configuration of this machine, logging errors only. It takes the certificates of a private authority
# from an option of its own and fails when the variable of AWS's tools is set.
rclone_quiet() {
  env -u AWS_CA_BUNDLE rclone --config /dev/null --log-level ERROR ${AWS_CA_BUNDLE:+--ca-cert "$AWS_CA_BUNDLE"} "$@"
}

# Names of all objects below a path, sorted as comm requires.
list_objects() { rclone_quiet lsf --recursive --files-only "$1" | LC_ALL=C sort; }

# The objects that photos, print images and exports need, sorted; as of a snapshot if its id is given.
needed_objects() {
  local snapshot="${1:+SET TRANSACTION SNAPSHOT '$1';}"
  on media psql -XqAt -v ON_ERROR_STOP=1 <<SQL | LC_ALL=C sort
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; $snapshot
SELECT 'originals/' || regexp_replace(filename, '\.[a-z]+$', '') FROM photos
UNION SELECT 'renditions/' || thumbnail FROM photos WHERE thumbnail IS NOT NULL
UNION SELECT 'renditions/' || preview FROM photos WHERE preview IS NOT NULL
UNION SELECT 'print-images/' || id FROM print_images WHERE status = 'ready' AND expires_at > now()
UNION SELECT 'originals/' || regexp_replace(source, '\.[a-z]+$', '') FROM print_images
  WHERE source IS NOT NULL AND expires_at > now()
UNION SELECT key FROM export_entries JOIN exports ON exports.id = export_id
  WHERE photo_id IS NULL AND status = 'ready' AND expires_at > now();
COMMIT;
SQL
}
