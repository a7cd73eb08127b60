# What backup.sh, restore.sh and prune.sh share; see docs/operations.md. Sourced, not run.
set -euo pipefail

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

# The URL of a service's database: AUTH_DATABASE_URL and so on, as the migrations take them.
url_of() {
  local name="${1^^}_DATABASE_URL"
  [ -n "${!name:-}" ] || die "$name is missing: the URL of the database of $1."
  printf '%s' "${!name}"
}

# Runs a client of PostgreSQL on the database of a service: `on media psql …`. The password goes by its environment, since
# everybody on a machine may read a command line.
on() {
  local url program=$2 password
  url=$(url_of "$1") || exit 1
  shift 2
  if [[ $url =~ ^(postgres(ql)?://[^:@/]*):([^@/]*)@(.*)$ ]]; then
    url=${BASH_REMATCH[1]}@${BASH_REMATCH[4]}
    password=${BASH_REMATCH[3]//\\/\\\\}
    printf -v password '%b' "${password//%/\\x}"
    local -x PGPASSWORD=$password
  fi
  "$program" -d "$url" "$@"
}

services=(auth media folders)

# Where rclone finds the objects of the system, by the settings that media has.
live_objects() {
  case "${OBJECT_STORE:-}" in
    dir) printf '%s/objects' "${OBJECT_STORE_DIR:?is missing}" ;;
    s3) printf 'skyfolio:%s' "${S3_BUCKET:?is missing}" ;;
    *) die "OBJECT_STORE is missing: dir or s3, with the settings that media has." ;;
  esac
}

if [ "${OBJECT_STORE:-}" = s3 ]; then
  export RCLONE_CONFIG_SKYFOLIO_TYPE=s3 RCLONE_CONFIG_SKYFOLIO_PROVIDER="${RCLONE_S3_PROVIDER:-Other}"
  export RCLONE_CONFIG_SKYFOLIO_ENDPOINT="${S3_ENDPOINT:?is missing}" RCLONE_CONFIG_SKYFOLIO_REGION="${S3_REGION:-us-east-1}"
  export RCLONE_CONFIG_SKYFOLIO_ACCESS_KEY_ID="${S3_ACCESS_KEY:?is missing}"
  export RCLONE_CONFIG_SKYFOLIO_SECRET_ACCESS_KEY="${S3_SECRET_KEY:?is missing}"
  # The bucket is there: rights to make one are not needed.
  export RCLONE_CONFIG_SKYFOLIO_NO_CHECK_BUCKET=true
fi

# rclone without a configuration of this machine and with words for errors alone. It takes the certificates of a private
# authority by an option of its own and fails over the variable of AWS's tools.
rclone_quiet() {
  env -u AWS_CA_BUNDLE rclone --config /dev/null --log-level ERROR ${AWS_CA_BUNDLE:+--ca-cert "$AWS_CA_BUNDLE"} "$@"
}

# Names of all objects below a place, sorted as comm wants them.
list_objects() { rclone_quiet lsf --recursive --files-only "$1" | LC_ALL=C sort; }

# The objects that photos need, sorted; of a snapshot when its id is given.
needed_objects() {
  local snapshot="${1:+SET TRANSACTION SNAPSHOT '$1';}"
  on media psql -XqAt -v ON_ERROR_STOP=1 <<SQL | LC_ALL=C sort
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; $snapshot
SELECT 'originals/' || regexp_replace(filename, '\.[a-z]+$', '') FROM photos
UNION SELECT 'renditions/' || thumbnail FROM photos WHERE thumbnail IS NOT NULL
UNION SELECT 'renditions/' || preview FROM photos WHERE preview IS NOT NULL;
COMMIT;
SQL
}
