import { setTimeout as delay } from 'node:timers/promises'
import {
  componentOf,
  components,
  get,
  type Pod,
  pods,
  run,
  scaleTo,
  servers,
  target,
  until,
  untilSettled,
} from '../cluster.ts'
import { inSeconds, type Outcome } from '../figures.ts'
import { startLoads } from '../loads.ts'
import { judgeLoad, merge } from '../verify.ts'
import type { TestOptions } from './options.ts'

const settleSeconds = 180
const evictedSeconds = 240

interface Budgets {
  items: {
    metadata: { name: string }
    spec: { selector: { matchLabels: Record<string, string> } }
    status: { currentHealthy: number; desiredHealthy: number }
  }[]
}

/**
 * Evicts every pod of the components, each server having two, all at once as `kubectl drain` does, under load: budgets
 * refuse what would take away too much, and who was refused asks again. The node stays open, so that there is somewhere
 * to go where there is only one.
 */
export async function drain({ seconds = 180, rate, seed }: TestOptions): Promise<Outcome> {
  await scaleTo(2, servers)
  const loads = await startLoads({ seconds, rate, seed })
  const targets = (await pods()).filter((pod) => components.includes(componentOf(pod)))
  const watching = watchBudgets()
  const begun = performance.now()
  const refusals = await Promise.all(targets.map(evictPatiently))
  const evicted = (performance.now() - begun) / 1000
  const settled = await untilSettled(settleSeconds)
  const below = await watching.stop()
  const left = new Set((await pods()).map(({ metadata }) => metadata.uid))
  const underLoad = loads.running()
  const report = await loads.finish()
  const own = {
    figures: {
      'pods evicted': targets.length,
      'evictions refused for now by a budget': refusals.reduce((sum, count) => sum + count, 0),
      'until the last was evicted': inSeconds(evicted),
      'until all is ready and the old ones are gone': inSeconds(settled),
    },
    checks: {
      'every pod of the components was replaced': targets.every(({ metadata }) => !left.has(metadata.uid)),
      'no budget was undercut': below.length === 0,
      'the load lasted longer than the drain': underLoad,
    },
    troubles: below,
  }
  return merge([own, await judgeLoad(report, 0.001)])
}

/** Asks until the eviction is granted; gives how often a budget refused it. */
async function evictPatiently({ metadata: { name } }: Pod): Promise<number> {
  const path = `/api/v1/namespaces/${target.namespace}/pods/${name}/eviction`
  const eviction = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, namespace: target.namespace },
  }
  let refused = 0
  await until(`${name} is evicted`, evictedSeconds, async () => {
    const trouble = await run('kubectl', ['create', '--raw', path, '--filename', '-'], {
      input: JSON.stringify(eviction),
    })
      .then(() => null)
      .catch((error: Error) => error)
    if (!trouble) return true
    if (!/TooManyRequests|disruption budget/i.test(trouble.message)) throw trouble
    refused += 1
    await delay(1_000)
    return false
  })
  return refused
}

/** Looks again and again whether a budget that was met is undercut, until stopped; gives what was seen. */
function watchBudgets(): { stop(): Promise<string[]> } {
  const below = new Set<string>()
  let stopped = false
  const watch = async () => {
    while (!stopped) {
      const { items } = await get<Budgets>('poddisruptionbudgets')
      for (const { metadata, status } of items) {
        if (status.currentHealthy < status.desiredHealthy) {
          below.add(`${metadata.name}: ${status.currentHealthy} of ${status.desiredHealthy} pods were healthy`)
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
      return [...below]
    },
  }
}
