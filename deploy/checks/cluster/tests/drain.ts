import { setTimeout as delay } from 'node:timers/promises'
import {
  componentOf,
  components,
  get,
  listPods,
  type Pod,
  run,
  scaleTo,
  servers,
  target,
  waitUntil,
  waitUntilSettled,
} from '../cluster.ts'
import { judgeLoad, mergeOutcomes } from '../judge-load.ts'
import { startLoads } from '../loads.ts'
import { inSeconds, type Outcome, type TestOptions } from '../outcome.ts'

const SETTLE_TIMEOUT_SECONDS = 180
const EVICTION_TIMEOUT_SECONDS = 240

interface Budgets {
  items: {
    metadata: { name: string }
    spec: { selector: { matchLabels: Record<string, string> } }
    status: { currentHealthy: number; desiredHealthy: number }
  }[]
}

/**
 * Evicts all pods of the components at once under load, as `kubectl drain` does, with two pods per server: disruption
 * budgets reject evictions, which are then retried. The node stays schedulable, so that a single node is enough.
 */
export async function drain({ seconds = 180, rate, seed }: TestOptions): Promise<Outcome> {
  await scaleTo(2, servers)
  const loads = await startLoads({ seconds, rate, seed })
  const targets = (await listPods()).filter((pod) => components.includes(componentOf(pod)))
  const watching = watchBudgets()
  const start = performance.now()
  const rejections = await Promise.all(targets.map(evictWithRetries))
  const evicted = (performance.now() - start) / 1000
  const settled = await waitUntilSettled(SETTLE_TIMEOUT_SECONDS)
  const violations = await watching.stop()
  const current = new Set((await listPods()).map(({ metadata }) => metadata.uid))
  const underLoad = loads.running()
  const report = await loads.finish()
  const own = {
    figures: {
      'pods evicted': targets.length,
      'evictions rejected by a budget': rejections.reduce((sum, count) => sum + count, 0),
      'until the last was evicted': inSeconds(evicted),
      'until all are ready and the old ones have terminated': inSeconds(settled),
    },
    checks: {
      'every pod of the components was replaced': targets.every(({ metadata }) => !current.has(metadata.uid)),
      'no disruption budget was violated': violations.length === 0,
      'the load lasted longer than the drain': underLoad,
    },
    errors: violations,
  }
  return mergeOutcomes([own, await judgeLoad(report, 0.001)])
}

/** Retries until the pod is evicted. Returns how often a budget rejected it. */
async function evictWithRetries({ metadata: { name } }: Pod): Promise<number> {
  const path = `/api/v1/namespaces/${target.namespace}/pods/${name}/eviction`
  const eviction = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, namespace: target.namespace },
  }
  let rejected = 0
  await waitUntil(`${name} is evicted`, EVICTION_TIMEOUT_SECONDS, async () => {
    const error = await run('kubectl', ['create', '--raw', path, '--filename', '-'], {
      input: JSON.stringify(eviction),
    })
      .then(() => null)
      .catch((error: Error) => error)
    if (!error) return true
    if (!/TooManyRequests|disruption budget/i.test(error.message)) throw error
    rejected += 1
    await delay(1_000)
    return false
  })
  return rejected
}

/** Watches for violated disruption budgets until stopped. Returns the violations. */
function watchBudgets(): { stop(): Promise<string[]> } {
  const violations = new Set<string>()
  let stopped = false
  const watch = async () => {
    while (!stopped) {
      const { items } = await get<Budgets>('poddisruptionbudgets')
      for (const { metadata, status } of items) {
        if (status.currentHealthy < status.desiredHealthy) {
          violations.add(`${metadata.name}: ${status.currentHealthy} of ${status.desiredHealthy} pods were healthy`)
        }
      }
      await delay(500)
    }
  }
  const watching = watch()
  return {
    async stop() {
      stopped = true
      await watching
      return [...violations]
    },
  }
}
