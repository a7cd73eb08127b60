import { setTimeout as delay } from 'node:timers/promises'
import { countRestarts, listAllPods, listPods, scaleTo } from '../cluster.ts'
import { judgeLoad, mergeOutcomes } from '../judge-load.ts'
import { startLoads } from '../loads.ts'
import { inSeconds, type Outcome, type TestOptions } from '../outcome.ts'

/** How long the load runs at each size. */
const LOAD_PER_SIZE_MS = 15_000

/** Scales folders from one pod to three and back to one under load. */
export async function scale({ seconds = 120, rate, seed }: TestOptions): Promise<Outcome> {
  const before = (await listPods('folders')).length
  await scaleTo(1, ['folders'])
  const loads = await startLoads({ seconds, rate, seed })
  const figures: Outcome['figures'] = {}
  for (const replicas of [3, 1]) {
    figures[`until folders has ${replicas}`] = inSeconds(await scaleTo(replicas, ['folders']))
    await delay(LOAD_PER_SIZE_MS)
  }
  const checks = { 'the load lasted longer than the changes': loads.running() }
  const report = await loads.finish()
  await scaleTo(before, ['folders'])
  const restarts = { 'no container restarted': countRestarts(await listAllPods()) === 0 }
  return mergeOutcomes([{ figures, checks: { ...checks, ...restarts } }, await judgeLoad(report, 0.001)])
}
