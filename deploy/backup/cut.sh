# One moment of all databases. Sourced by backup.sh, not run.
#
# Each service keeps a copy of what it needs of others, fed by events, and a copy must never be newer than its original: a
# restored original would then tell the copy's owner nothing new, and what changes later under the same revision would be
# lost. A change and its event are one transaction, so whoever keeps rows out of the outboxes stops exactly the changes that
# others hear of. That lasts for as long as three snapshots take to be made, some ten milliseconds; votes, sign-ins and all
# reading go on meanwhile.

declare -A to=() from=() psql_of=()
pipes=''
# A session that has ended is noticed by the answer that does not come.
trap '' PIPE

# Opens a psql session under a name, on the database of a service.
open_session() {
  local name=$1 service=$2 in out
  mkfifo "$pipes/$name.in" "$pipes/$name.out"
  on "$service" psql -XqAt -v ON_ERROR_STOP=1 <"$pipes/$name.in" >"$pipes/$name.out" 2>"$pipes/$name.err" &
  psql_of[$name]=$!
  exec {in}>"$pipes/$name.in" {out}<"$pipes/$name.out"
  to[$name]=$in from[$name]=$out
}

# Runs SQL in a session that ends with a row of one value, and puts that into $answer.
ask() {
  printf '%s\n' "$2" >&"${to[$1]}" || return 1
  read -r -t 30 answer <&"${from[$1]}" || return 1
}

close_session() {
  local in=${to[$1]} out=${from[$1]}
  # Closing alone would not end it: sessions that were opened later hold a copy of its pipe.
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

# Waits for changes that have begun, three seconds at most: those behind it wait too.
lock_outbox() {
  ask "lock-$1" "BEGIN; SET LOCAL lock_timeout = '3s'; LOCK TABLE outbox IN SHARE MODE; SELECT 'locked';"
}

try_cut() {
  local service
  for service in media folders; do lock_outbox "$service" || return 1; done
  for service in "${services[@]}"; do
    ask "$service" "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT pg_export_snapshot();" || return 1
    snapshot_of[$service]=$answer
  done
}

# Takes the snapshots, whose ids are then in snapshot_of until close_sessions. In cut_ms: how long changes may have waited.
declare -A snapshot_of=()
take_cut() {
  local service begun try
  pipes=$(mktemp -d)
  for service in "${services[@]}"; do open_session "$service" "$service"; done
  for try in 1 2 3 4 5; do
    for service in media folders; do
      open_session "lock-$service" "$service"
      ask "lock-$service" "SELECT 'there';" || die "$(cat "$pipes/lock-$service.err")"
    done
    begun=$(date +%s%N)
    if try_cut; then
      for service in media folders; do close_session "lock-$service"; done
      cut_ms=$((($(date +%s%N) - begun) / 1000000))
      return
    fi
    for service in media folders; do close_session "lock-$service"; done
    for service in "${services[@]}"; do ask "$service" "ROLLBACK; SELECT 'again';" || die "$(cat "$pipes/$service.err")"; done
    say "A change takes long; waiting for it (try $try)"
    sleep 5
  done
  die "No moment without a change under way was found."
}
