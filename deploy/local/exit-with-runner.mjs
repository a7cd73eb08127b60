// Loaded into every service by the local runner. When the runner is killed this pipe closes, and the service exits.
import { isMainThread } from 'node:worker_threads'

/** The servers stop too, so a graceful shutdown may wait for them in vain. */
const KILL_AFTER_MS = 20_000

function exit() {
  process.kill(process.pid, 'SIGTERM')
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), KILL_AFTER_MS).unref()
}

if (isMainThread) {
  process.stdin.once('end', exit).once('error', () => {})
  process.stdin.resume().unref()
}
