import { setTimeout as delay } from 'node:timers/promises'
import { allPods, pods, restartsOf, scaleTo } from '../cluster.ts'
import { inSeconds, type Outcome } from '../figures.ts'
import { startLoads } from '../loads.ts'
import { judgeLoad, merge } from '../verify.ts'
import type { TestOptions } from './options.ts'

/** At each size the load goes on for so long. */
const stayMs = 15_000

/** Folders from one pod to three and back to one, while everybody uses the system. */
export async function scale({ seconds = 120, rate, seed }: TestOptions): Promise<Outcome> {
  const before = (await pods('folders')).length
  await scaleTo(1, ['folders'])
  const loads = await startLoads({ seconds, rate, seed })
  const figures: Outcome['figures'] = {}
  for (const replicas of [3, 1]) {
    figures[`until folders has ${replicas}`] = inSeconds(await scaleTo(replicas, ['folders']))
    await delay(stayMs)
  }
  const checks = { 'the load lasted longer than the changes': loads.running() }
  const report = await loads.finish()
  await scaleTo(before, ['folders'])
  const restarts = { 'no container was started again': restartsOf(await allPods()) === 0 }
  return merge([{ figures, checks: { ...checks, ...restarts } }, await judgeLoad(report, 0.001)])
}
