import { setTimeout as delay } from 'node:timers/promises'
import { allPods, kubectl, objectName, pods, restartsOf, untilSettled } from '../cluster.ts'
import { inSeconds, type Outcome } from '../figures.ts'
import { startLoads } from '../loads.ts'
import { judgeLoad, merge } from '../verify.ts'
import type { TestOptions } from './options.ts'

const settleSeconds = 180
/** At each size the load goes on for so long. */
const stayMs = 15_000

/** Folders from one pod to three and back to one, while everybody uses the system. */
export async function scale({ seconds = 120, rate, seed }: TestOptions): Promise<Outcome> {
  const before = (await pods('folders')).length
  await scaleFolders(1)
  await untilSettled(settleSeconds)
  const loads = await startLoads({ seconds, rate, seed })
  const figures: Outcome['figures'] = {}
  for (const replicas of [3, 1]) {
    await scaleFolders(replicas)
    figures[`until folders has ${replicas}`] = inSeconds(await untilSettled(settleSeconds))
    await delay(stayMs)
  }
  const checks = { 'the load lasted longer than the changes': loads.running() }
  const report = await loads.finish()
  await scaleFolders(before)
  await untilSettled(settleSeconds)
  const restarts = { 'no container was started again': restartsOf(await allPods()) === 0 }
  return merge([{ figures, checks: { ...checks, ...restarts } }, await judgeLoad(report, 0.001)])
}

async function scaleFolders(replicas: number): Promise<void> {
  await kubectl('scale', `deployment/${objectName('folders')}`, `--replicas=${replicas}`)
}
