#!/usr/bin/env bash
# Backs up a running system: all databases at one point in time, and the objects. Usage: backup.sh FOLDER
# Settings, those of the services: AUTH_DATABASE_URL and so on for each database; OBJECT_STORE_DIR or
# S3_*. OBJECTS_BACKUP: where the copy of the objects is, any path of rclone; default FOLDER/objects.
# Each run creates FOLDER/<time> and prints that name as its last line. Objects never change under their name, so all runs
# share one copy of them; prune.sh removes what no kept run needs.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/snapshots.sh"

[ $# = 1 ] || die "Usage: $0 FOLDER"
need psql pg_dump rclone
umask 077
folder=$1
objects=${OBJECTS_BACKUP:-$folder/objects}
live=$(live_objects)
run=$folder/$(date -u +%Y-%m-%dT%H%M%SZ)
unfinished=$run.unfinished
mkdir -p "$unfinished"
trap 'close_sessions; rm -rf "$unfinished"' EXIT

started=$SECONDS
# Most objects are copied before the databases, so that few can be deleted between the databases and the rest.
rclone_quiet copy --size-only "$live" "$objects"
take_snapshots
say "Snapshot of ${#services[@]} databases; changes waited for at most $snapshot_ms ms"
for service in "${services[@]}"; do
  on "$service" pg_dump -Fc --no-owner --no-privileges --snapshot="${snapshot_of[$service]}" -f "$unfinished/$service.dump"
  say "$service: $(du -h "$unfinished/$service.dump" | cut -f1)"
done
needed_objects "${snapshot_of[media]}" >"$unfinished/objects.txt"
close_sessions

# The rest follows after the databases: every object of a row is copied, unless its photo has been deleted since.
rclone_quiet copy --size-only "$live" "$objects"
list_objects "$objects" >"$unfinished/copied.txt"
LC_ALL=C comm -23 "$unfinished/objects.txt" "$unfinished/copied.txt" >"$unfinished/deleted.txt"
lost=$(needed_objects | LC_ALL=C comm -12 - "$unfinished/deleted.txt")
say "$(wc -l <"$unfinished/objects.txt") objects of photos, $(wc -l <"$unfinished/deleted.txt") of them deleted meanwhile; $(wc -l <"$unfinished/copied.txt") objects in $objects"
[ -z "$lost" ] || die "Objects that photos need are not in the copy:
$(head -20 <<<"$lost")"

rm "$unfinished/copied.txt"
(cd "$unfinished" && sha256sum ./*.dump ./*.txt >SHA256SUMS)
sync -f "$unfinished"
mv "$unfinished" "$run"
say "Done in $((SECONDS - started)) s"
printf '%s\n' "$run"
