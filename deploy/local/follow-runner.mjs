// Loaded into every service by the local runner: a runner that is killed closes this pipe, and its services end with it.
import { isMainThread } from 'node:worker_threads'

if (isMainThread) {
  process.stdin.once('end', () => process.kill(process.pid, 'SIGTERM')).once('error', () => {})
  process.stdin.resume().unref()
}
