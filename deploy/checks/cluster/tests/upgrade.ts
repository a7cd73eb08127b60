import {
  componentOf,
  components,
  countRestarts,
  helm,
  listAllPods,
  listPods,
  target,
  installRelease as upgradeTo,
  waitUntilSettled,
} from '../cluster.ts'
import { judgeLoad, mergeOutcomes } from '../judge-load.ts'
import { startLoads } from '../loads.ts'
import { inSeconds, type Outcome, type TestOptions } from '../outcome.ts'

const SETTLE_TIMEOUT_SECONDS = 180

/** Returns the image tags that the components' pods run now. */
async function runningTags(): Promise<string[]> {
  const running = (await listPods()).filter((pod) => components.includes(componentOf(pod)))
  return [...new Set(running.flatMap(({ spec }) => spec.containers.map(({ image }) => image.split(':').at(-1) ?? '')))]
}

/** Upgrades to other images and rolls back under load: no request fails, nothing is lost. */
export async function upgrade({ seconds = 240, rate, seed }: TestOptions): Promise<Outcome> {
  const loads = await startLoads({ seconds, rate, seed })
  const timed = async (work: () => Promise<unknown>) => {
    const start = performance.now()
    await work()
    return (performance.now() - start) / 1000
  }
  const upgraded = await timed(() => upgradeTo(target.nextTag))
  const settled = await waitUntilSettled(SETTLE_TIMEOUT_SECONDS)
  const next = await runningTags()
  const rolledBack = await timed(() => helm(['rollback', target.release]))
  const settledAgain = await waitUntilSettled(SETTLE_TIMEOUT_SECONDS)
  const back = await runningTags()
  const underLoad = loads.running()
  const report = await loads.finish()
  const own = {
    figures: {
      'upgrade, until all pods are ready': inSeconds(upgraded),
      'until the last old pod has terminated': inSeconds(settled),
      'rollback, until all pods are ready': inSeconds(rolledBack),
      'until the last new pod has terminated': inSeconds(settledAgain),
    },
    checks: {
      'all pods ran the new tag, and then the old one': next.join() === target.nextTag && back.join() === target.tag,
      'the load lasted longer than both': underLoad,
      'no container restarted': countRestarts(await listAllPods()) === 0,
    },
  }
  return mergeOutcomes([own, await judgeLoad(report)])
}
