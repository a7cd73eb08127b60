# Snapshots of all databases at one point in time. Sourced by backup.sh, not run.
#
# A service's projection of another's data, fed by events, must never be newer than the original. After a restore the owner
# would reuse revisions that the projection already has, and later changes under them would be lost. A change and its event
# are one transaction, so locking the outboxes against inserts stops exactly the changes that other services learn of. The
# lock lasts while the snapshots are taken, some ten milliseconds; votes, sign-ins and all reads continue meanwhile.

declare -A to=() from=() psql_of=()
pipes=''
# A session that has ended is noticed by its missing response.
trap '' PIPE

# Opens a named psql session on the database of a service.
open_session() {
  local name=$1 service=$2 in out
  mkfifo "$pipes/$name.in" "$pipes/$name.out"
  on "$service" psql -XqAt -v ON_ERROR_STOP=1 <"$pipes/$name.in" >"$pipes/$name.out" 2>"$pipes/$name.err" &
  psql_of[$name]=$!
  exec {in}>"$pipes/$name.in" {out}<"$pipes/$name.out"
  to[$name]=$in from[$name]=$out
}

# Runs SQL in a session that returns one row of one value, and puts that into $reply.
query() {
  printf '%s\n' "$2" >&"${to[$1]}" || return 1
  read -r -t 30 reply <&"${from[$1]}" || return 1
}

close_session() {
  local in=${to[$1]} out=${from[$1]}
  # Closing the pipe would not end it: sessions that were opened later hold a copy of it.
  printf '\\q\n' >&"$in" 2>/dev/null || true
  exec {in}>&- {out}<&-
  wait "${psql_of[$1]}" || true
  unset "to[$1]" "from[$1]" "psql_of[$1]"
  rm -f "$pipes/$1".*
}

close_sessions() {
  local name
  for name in "${!to[@]}"; do close_session "$name"; done
  rm -rf "$pipes"
}

# Waits for changes that are in progress, three seconds at most, since later changes wait behind it.
lock_outbox() {
  query "lock-$1" "BEGIN; SET LOCAL lock_timeout = '3s'; LOCK TABLE outbox IN SHARE MODE; SELECT 'locked';"
}

try_snapshots() {
  local service
  for service in "${services[@]}"; do lock_outbox "$service" || return 1; done
  for service in "${services[@]}"; do
    query "$service" "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT pg_export_snapshot();" || return 1
    snapshot_of[$service]=$reply
  done
}

# Takes the snapshots. Their ids are in snapshot_of and valid until close_sessions; snapshot_ms is how long changes may have
# waited.
declare -A snapshot_of=()
take_snapshots() {
  local service started attempt
  pipes=$(mktemp -d)
  for service in "${services[@]}"; do open_session "$service" "$service"; done
  for attempt in 1 2 3 4 5; do
    for service in "${services[@]}"; do
      open_session "lock-$service" "$service"
      query "lock-$service" "SELECT 'connected';" || die "$(cat "$pipes/lock-$service.err")"
    done
    started=$(date +%s%N)
    if try_snapshots; then
      for service in "${services[@]}"; do close_session "lock-$service"; done
      snapshot_ms=$((($(date +%s%N) - started) / 1000000))
      return
    fi
    for service in "${services[@]}"; do close_session "lock-$service"; done
    for service in "${services[@]}"; do query "$service" "ROLLBACK; SELECT 'rolled back';" || die "$(cat "$pipes/$service.err")"; done
    say "A change is taking long, waiting for it (attempt $attempt)"
    sleep 5
  done
  die "No point in time without a change in progress was found."
}
