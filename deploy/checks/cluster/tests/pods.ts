import { setTimeout as delay } from 'node:timers/promises'
import { between, seeded } from '../../faults/random.ts'
import { componentOf, components, isReady, kubectl, pods, scaleTo, servers, untilSettled } from '../cluster.ts'
import type { Outcome } from '../figures.ts'
import { startLoads } from '../loads.ts'
import { judgeLoad, merge } from '../verify.ts'
import type { TestOptions } from './options.ts'

const settleSeconds = 180
/** Towards the end of the load nothing more is deleted, so that all is over before it is. */
const calmMs = 45_000

/** Deletes random pods of the components, each server having two, while everybody uses the system. */
export async function deletePods({ seconds = 180, rate, seed }: TestOptions): Promise<Outcome> {
  const random = seeded(seed)
  await scaleTo(2, servers)
  const loads = await startLoads({ seconds, rate, seed })
  const end = performance.now() + seconds * 1000 - calmMs
  const deleted: string[] = []
  while (performance.now() < end) {
    await delay(between(random, 4_000, 12_000))
    const ready = (await pods()).filter((pod) => components.includes(componentOf(pod)) && isReady(pod))
    const there = components.filter((component) => ready.some((pod) => componentOf(pod) === component))
    const component = there[Math.floor(random() * there.length)]
    const pod = ready.find((one) => componentOf(one) === component)
    if (!component || !pod) continue
    await kubectl('delete', 'pod', pod.metadata.name, '--wait=false')
    deleted.push(component)
    console.log(`deleted ${pod.metadata.name}`)
  }
  await untilSettled(settleSeconds)
  const report = await loads.finish()
  const own = {
    figures: { seed, 'pods deleted': `${deleted.length}: ${deleted.join(', ')}` },
    checks: { 'pods were deleted': deleted.length > 2 },
  }
  return merge([own, await judgeLoad(report, 0.001)])
}
