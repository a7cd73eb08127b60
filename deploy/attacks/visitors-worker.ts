import { parentPort, workerData } from 'node:worker_threads'
import { type Client, openClient } from './client.ts'
import type { Step, VisitPlan } from './visitors.ts'

// Sends what honest people send, in a thread of its own, so that what the attackers do in this process delays no measurement.

const { endpoint, address, everyMs, signInEveryMs, pictures, votes, account, folder, originals } =
  workerData as VisitPlan
const TIMEOUT_MS = 10_000
const steps: Step[] = []
const pending = new Set<Promise<unknown>>()
let people = 0

async function take(client: Client, kind: string, method: string, path: string, json?: object) {
  const response = await client.send(method, path, { json, timeoutMs: TIMEOUT_MS })
  steps.push({ kind, status: response.status, milliseconds: response.milliseconds })
  return response
}

/** A person opens the link, looks at pictures and votes. */
async function visit(): Promise<void> {
  people += 1
  const client = openClient(endpoint, address)
  await take(client, 'page', 'GET', `/share/${folder.code}`)
  const { status, text } = await take(client, 'share page', 'GET', `/api/share/${folder.code}`)
  if (status === 200) {
    const { photos } = JSON.parse(text) as { photos: { id: number; url: string; thumbnailUrl: string }[] }
    const shown = photos.slice(0, pictures)
    await Promise.all(shown.map(({ thumbnailUrl }) => take(client, 'picture', 'GET', thumbnailUrl)))
    if (originals && photos[0]) await take(client, 'original', 'GET', photos[0].url)
    const fingerprint = crypto.randomUUID() + crypto.randomUUID()
    for (const [index, rank] of ['first', 'second', 'third'].slice(0, votes).entries()) {
      const body = { rank, folderId: folder.id, fingerprint }
      await take(client, 'vote', 'POST', `/api/photos/${photos[index]?.id}/rank`, body)
    }
  }
  client.close()
}

async function signIn(): Promise<void> {
  const client = openClient(endpoint, address)
  await take(client, 'sign-in', 'POST', '/api/login', account)
  await take(client, 'own account', 'GET', '/api/user')
  await take(client, 'sign-out', 'POST', '/api/logout')
  client.close()
}

function start(task: () => Promise<void>): void {
  const running = task()
  pending.add(running)
  void running.finally(() => pending.delete(running))
}

const timers = [setInterval(start, everyMs, visit)]
if (signInEveryMs > 0) timers.push(setInterval(start, signInEveryMs, signIn))

parentPort?.once('message', async () => {
  for (const timer of timers) clearInterval(timer)
  await Promise.all(pending)
  parentPort?.postMessage({ steps, people })
})
