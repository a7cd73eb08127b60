import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Endpoint } from './client.ts'
import type { Target } from './target.ts'

/** What a visit's requests are, and how often a visit begins. */
export interface VisitPlan {
  endpoint: Endpoint
  address: string
  everyMs: number
  /** 0: nobody signs in. */
  signInEveryMs: number
  pictures: number
  votes: number
  originals: boolean
  account: { username: string; password: string }
  folder: { id: number; code: string }
}

/** One request of a visitor. */
export interface Step {
  kind: string
  status: number
  milliseconds: number
}

export interface Visits {
  steps: Step[]
  people: number
}

/**
 * Starts visitors of the owner's public folder, all at one address. The function stops them and returns what they got.
 * @throws AbortError from the function, when the attack was stopped
 */
export async function startVisitors(target: Target, plan: Partial<VisitPlan> = {}): Promise<() => Promise<Visits>> {
  const { publicFolder } = target.owner
  // A sign-in without a response counts as a wrong one: the next attack finds another account.
  const { username, password } = await target.register()
  const workerData: VisitPlan = {
    endpoint: target.endpoint,
    address: target.newAddress(),
    everyMs: 400,
    signInEveryMs: 700,
    pictures: 4,
    votes: 1,
    originals: true,
    account: { username, password },
    folder: { id: publicFolder.id, code: publicFolder.shareCode },
    ...plan,
  }
  const worker = new Worker(new URL('./visitors-worker.ts', import.meta.url), { workerData })
  const { signal } = target
  signal.addEventListener('abort', () => worker.terminate(), { once: true })
  return async () => {
    worker.postMessage('stop')
    const [visits] = (await once(worker, 'message', { signal })) as [Visits]
    await worker.terminate()
    return visits
  }
}

/** What was wrong with the responses: rejected or missing, or late. */
export function faultsOf({ steps, people }: Visits, who: string, longestMs: number) {
  const faults = { rejected: [] as string[], late: [] as string[] }
  if (people === 0) faults.rejected.push(`${who}: there was no visit`)
  for (const kind of new Set(steps.map((step) => step.kind))) {
    const some = steps.filter((step) => step.kind === kind)
    const rejected = some.filter(({ status }) => status !== 200)
    const late = some.filter(({ milliseconds }) => milliseconds > longestMs)
    const statuses = [...new Set(rejected.map(({ status }) => status || 'no response'))]
    const part = `${who}: ${kind}:`
    if (rejected.length > 0) faults.rejected.push(`${part} ${rejected.length} of ${some.length} got ${statuses}`)
    if (late.length > 0) {
      const longest = Math.round(Math.max(...late.map(({ milliseconds }) => milliseconds)))
      faults.late.push(`${part} ${late.length} of ${some.length} took more than ${longestMs} ms, up to ${longest}`)
    }
  }
  return faults
}

export function describeVisits({ steps, people }: Visits): string {
  const [longest] = steps.toSorted((one, other) => other.milliseconds - one.milliseconds)
  const slowest = `the longest ${Math.round(longest?.milliseconds ?? 0)} ms (${longest?.kind})`
  return `${people} visits, ${steps.length} requests, ${slowest}`
}
