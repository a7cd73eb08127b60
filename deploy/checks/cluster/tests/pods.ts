import { setTimeout as delay } from 'node:timers/promises'
import { between, seededRandom } from '../../faults/random.ts'
import { componentOf, components, isReady, kubectl, listPods, scaleTo, servers, waitUntilSettled } from '../cluster.ts'
import { judgeLoad, mergeOutcomes } from '../judge-load.ts'
import { startLoads } from '../loads.ts'
import type { Outcome } from '../outcome.ts'
import type { TestOptions } from './options.ts'

const SETTLE_TIMEOUT_SECONDS = 180
/** No pod is deleted at the end of the load, so that the system settles before it ends. */
const QUIET_END_MS = 45_000

/** Deletes random pods of the components under load, with two pods per server. */
export async function deletePods({ seconds = 180, rate, seed }: TestOptions): Promise<Outcome> {
  const random = seededRandom(seed)
  await scaleTo(2, servers)
  const loads = await startLoads({ seconds, rate, seed })
  const end = performance.now() + seconds * 1000 - QUIET_END_MS
  const deleted: string[] = []
  while (performance.now() < end) {
    await delay(between(random, 4_000, 12_000))
    const ready = (await listPods()).filter((pod) => components.includes(componentOf(pod)) && isReady(pod))
    const available = components.filter((component) => ready.some((pod) => componentOf(pod) === component))
    const component = available[Math.floor(random() * available.length)]
    const pod = ready.find((one) => componentOf(one) === component)
    if (!component || !pod) continue
    await kubectl('delete', 'pod', pod.metadata.name, '--wait=false')
    deleted.push(component)
    console.log(`deleted ${pod.metadata.name}`)
  }
  await waitUntilSettled(SETTLE_TIMEOUT_SECONDS)
  const report = await loads.finish()
  const own = {
    figures: { seed, 'pods deleted': `${deleted.length}: ${deleted.join(', ')}` },
    checks: { 'pods were deleted': deleted.length > 2 },
  }
  return mergeOutcomes([own, await judgeLoad(report, 0.001)])
}
