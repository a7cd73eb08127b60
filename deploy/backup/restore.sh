#!/usr/bin/env bash
# Restores a backup into empty databases and adds its objects to the store. Usage: restore.sh FOLDER/<time>
# Settings as for backup.sh, of the new system. No service may run. Afterwards start the system, with empty NATS and Redis, and
# reconcile it: docs/operations.md, "Restore". The ledger of deletions is added to the store too; replay it before anything starts.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# The migration that every database of 1.0 begins with. Of those before, print-orders alone had none that is earlier.
baseline=20261128000000

[ $# = 1 ] && [ -d "$1" ] || die "Usage: $0 FOLDER/<time>, as backup.sh printed it"
need psql pg_restore rclone
run=$1
objects=${OBJECTS_BACKUP:-$(dirname "$run")/objects}
live=$(live_objects)
started=$SECONDS

(cd "$run" && sha256sum --quiet -c SHA256SUMS) || die "The backup in $run is damaged."
for service in "${services[@]}"; do
  if pg_restore --data-only --table=schema_migrations --file=- "$run/$service.dump" |
    awk -v baseline="$baseline" '/^[0-9]+$/ && $1 < baseline { found = 1 } END { exit !found }'; then
    die "The backup in $run is of a version before 1.0, which this one cannot read: restore it with the version that made it."
  fi
done
for service in "${services[@]}"; do
  tables=$(on "$service" psql -XqAt -c "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") ||
    die "The database of $service is unavailable; create an empty one first."
  [ "$tables" = 0 ] || die "The database of $service has tables: restore into empty databases, and never while services run."
done

# Objects first: even if the restore is interrupted, no row exists without its object.
rclone_quiet copy --size-only "$objects" "$live"
lost=$(list_objects "$live" | LC_ALL=C comm -23 "$run/objects.txt" - | LC_ALL=C comm -23 - "$run/deleted.txt")
[ -z "$lost" ] || die "Objects that photos need are not in $objects; nothing has been restored into the databases:
$(head -20 <<<"$lost")"
say "$(wc -l <"$run/objects.txt") objects of photos, $(wc -l <"$run/deleted.txt") of them deleted during the backup"
for service in "${services[@]}"; do
  on "$service" pg_restore --exit-on-error --single-transaction --no-owner --no-privileges --no-comments "$run/$service.dump"
  on "$service" psql -Xq -c ANALYZE
  say "$service: restored"
done
say "Done in $((SECONDS - started)) s"
