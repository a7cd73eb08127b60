import { setTimeout as delay } from 'node:timers/promises'
import {
  componentOf,
  components,
  countRestarts,
  get,
  helm,
  installRelease,
  listAllPods,
  listPods,
  type Pod,
  run,
  scaleTo,
  servers,
  target,
  waitUntil,
  waitUntilSettled,
} from '../cluster.ts'
import { underLoad } from '../load.ts'
import { type Outcome, type TestOptions, took } from '../outcome.ts'

const SETTLE_TIMEOUT_SECONDS = 180
const EVICTION_TIMEOUT_SECONDS = 240
/** How long the load runs at each size. */
const LOAD_PER_SIZE_MS = 15_000
/** Of the requests while pods leave that no new version replaces. */
const MAX_FAILED_PART = 0.001

const listOwnPods = async () => (await listPods()).filter((pod) => components.includes(componentOf(pod)))
const noneRestarted = async () => countRestarts(await listAllPods()) === 0

/** Whether all pods of the components run this image tag. */
async function allRun(tag: string): Promise<boolean> {
  const images = (await listOwnPods()).flatMap(({ spec }) => spec.containers.map(({ image }) => image))
  return images.every((image) => image.endsWith(`:${tag}`))
}

/** Upgrades to other images and rolls back under load: no request fails, nothing is lost. */
export async function upgrade(outcome: Outcome, { seconds = 240, ...options }: TestOptions): Promise<void> {
  const { figures, checks } = outcome
  await underLoad(outcome, { seconds, ...options, maxFailedPart: 0 }, async () => {
    figures['upgrade, until all pods are ready'] = await took(installRelease(target.nextTag))
    figures['until the last old pod has terminated'] = await took(waitUntilSettled(SETTLE_TIMEOUT_SECONDS))
    checks['after the upgrade all pods run the new tag'] = await allRun(target.nextTag)
    figures['rollback, until all pods are ready'] = await took(helm(['rollback', target.release]))
    figures['until the last new pod has terminated'] = await took(waitUntilSettled(SETTLE_TIMEOUT_SECONDS))
    checks['after the rollback all pods run the old tag'] = await allRun(target.tag)
  })
  checks['no container restarted'] = await noneRestarted()
}

/** Scales folders from one pod to three and back to one under load. */
export async function scale(outcome: Outcome, { seconds = 120, ...options }: TestOptions): Promise<void> {
  const before = (await listPods('folders')).length
  await scaleTo(1, ['folders'])
  await underLoad(outcome, { seconds, ...options, maxFailedPart: MAX_FAILED_PART }, async () => {
    for (const replicas of [3, 1]) {
      outcome.figures[`until folders has ${replicas}`] = await took(scaleTo(replicas, ['folders']))
      await delay(LOAD_PER_SIZE_MS)
    }
  })
  await scaleTo(before, ['folders'])
  outcome.checks['no container restarted'] = await noneRestarted()
}

/**
 * Evicts all pods of the components at once under load, as `kubectl drain` does, with two pods per server: disruption
 * budgets reject evictions, which are then retried. The node stays schedulable, so that a single node is enough.
 */
export async function drain(outcome: Outcome, { seconds = 180, ...options }: TestOptions): Promise<void> {
  const { figures, checks, errors } = outcome
  await scaleTo(2, servers)
  await underLoad(outcome, { seconds, ...options, maxFailedPart: MAX_FAILED_PART }, async () => {
    const targets = await listOwnPods()
    const stop = new AbortController()
    const watching = watchBudgets(stop.signal)
    figures['pods evicted'] = targets.length
    figures['until the last was evicted'] = await took(Promise.all(targets.map(evict)))
    figures['until the others are ready'] = await took(waitUntilSettled(SETTLE_TIMEOUT_SECONDS))
    stop.abort()
    const violations = await watching
    checks['no disruption budget was violated'] = violations.length === 0
    errors.push(...violations)
    const current = new Set((await listPods()).map(({ metadata }) => metadata.uid))
    checks['every pod of the components was replaced'] = targets.every(({ metadata }) => !current.has(metadata.uid))
  })
}

/** Retries while a budget rejects the eviction. */
async function evict({ metadata: { name } }: Pod): Promise<void> {
  const { namespace } = target
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`
  const input = JSON.stringify({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } })
  await waitUntil(`${name} is evicted`, EVICTION_TIMEOUT_SECONDS, async () => {
    await run('kubectl', ['create', '--raw', path, '--filename', '-'], { input })
    return true
  })
}

interface Budgets {
  items: { metadata: { name: string }; status: { currentHealthy: number; desiredHealthy: number } }[]
}

/** Returns the disruption budgets that were violated. */
async function watchBudgets(signal: AbortSignal): Promise<string[]> {
  const violations = new Set<string>()
  for (; !signal.aborted; await delay(500)) {
    const { items } = await get<Budgets>('poddisruptionbudgets')
    for (const { metadata, status } of items) {
      if (status.currentHealthy < status.desiredHealthy)
        violations.add(`${metadata.name}: ${status.currentHealthy} of ${status.desiredHealthy} pods were healthy`)
    }
  }
  return [...violations]
}
