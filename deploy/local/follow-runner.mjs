// Loaded into every service by the local runner: a runner that is killed closes this pipe, and its services end with it.
import { isMainThread } from 'node:worker_threads'

/** Its servers end too, so a service may wait for them in vain. */
const patienceMs = 20_000

function end() {
  process.kill(process.pid, 'SIGTERM')
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), patienceMs).unref()
}

if (isMainThread) {
  process.stdin.once('end', end).once('error', () => {})
  process.stdin.resume().unref()
}
