import {
  allPods,
  componentOf,
  components,
  helm,
  pods,
  restartsOf,
  target,
  untilSettled,
  upgrade as upgradeTo,
} from '../cluster.ts'
import { inSeconds, type Outcome } from '../figures.ts'
import { startLoads } from '../loads.ts'
import { judgeLoad, merge } from '../verify.ts'
import type { TestOptions } from './options.ts'

const settleSeconds = 180

/** The tags of the images that the components' pods run now. */
async function tags(): Promise<string[]> {
  const running = (await pods()).filter((pod) => components.includes(componentOf(pod)))
  return [...new Set(running.flatMap(({ spec }) => spec.containers.map(({ image }) => image.split(':').at(-1) ?? '')))]
}

/** Upgrade to other images and rollback while everybody uses the system: nobody notices, nothing is lost. */
export async function upgrade({ seconds = 240, rate, seed }: TestOptions): Promise<Outcome> {
  const loads = await startLoads({ seconds, rate, seed })
  const timed = async (work: () => Promise<unknown>) => {
    const begun = performance.now()
    await work()
    return (performance.now() - begun) / 1000
  }
  const upgraded = await timed(() => upgradeTo(target.nextTag))
  const gone = await untilSettled(settleSeconds)
  const next = await tags()
  const rolledBack = await timed(() => helm(['rollback', target.release]))
  const goneAgain = await untilSettled(settleSeconds)
  const back = await tags()
  const underLoad = loads.running()
  const report = await loads.finish()
  const own = {
    figures: {
      'upgrade, until all is ready': inSeconds(upgraded),
      'until the last old pod is gone': inSeconds(gone),
      'rollback, until all is ready': inSeconds(rolledBack),
      'until the last new pod is gone': inSeconds(goneAgain),
    },
    checks: {
      'all pods ran the new tag, and then the old one': next.join() === target.nextTag && back.join() === target.tag,
      'the load lasted longer than both': underLoad,
      'no container was started again': restartsOf(await allPods()) === 0,
    },
  }
  return merge([own, await judgeLoad(report)])
}
