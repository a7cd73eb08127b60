import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openRedis } from '@skyfolio/kit'
import { freePort } from '@skyfolio/testkit/servers'
import { componentNamed } from '../../components.ts'
import type { LaunchedSystem } from '../../local/launch.ts'
import { root } from '../../local/paths.ts'
import { cleanups, waitFor } from '../harness.ts'
import { inSeconds } from './inject.ts'
import { between, seededRandom } from './random.ts'

const FROZEN_MS = 60_000
const REDIS_TIMEOUT_MS = 60_000

/**
 * Once while the load lasts, Redis loses its data, and a second media-worker, which nothing kills, is frozen for a minute:
 * others do its jobs meanwhile, and its late results must not count. Resolves when it goes on.
 */
export async function disturbQueues(system: LaunchedSystem, { seed, ms }: { seed: number; ms: number }): Promise<void> {
  const random = seededRandom(seed + 2_000)
  const start = Date.now()
  const report = (what: string) => console.log(`${inSeconds(Date.now() - start).padStart(5)} s  ${what}`)
  const { env } = await system.state()
  const worker = spawn(process.execPath, [join(root, componentNamed('media-worker').entryPoint)], {
    env: { ...process.env, ...env['media-worker'], OPS_PORT: String(await freePort()) },
    stdio: 'ignore',
  })
  const ended = once(worker, 'exit')
  cleanups.push(async () => {
    worker.kill('SIGCONT')
    worker.kill('SIGTERM')
    await ended
  })

  async function freezeWorker(): Promise<void> {
    await delay(between(random, ms * 0.2, ms * 0.7))
    worker.kill('SIGSTOP')
    await delay(FROZEN_MS)
    worker.kill('SIGCONT')
    report(`second media-worker was frozen for ${inSeconds(FROZEN_MS)} s`)
  }

  async function loseData(): Promise<void> {
    await delay(between(random, ms * 0.3, ms * 0.9))
    await deleteRedisData(env['media-worker']?.REDIS_URL ?? '')
    report('redis lost its data')
  }

  await Promise.all([freezeWorker(), loseData()])
  if (worker.exitCode !== null) throw new Error(`the second media-worker ended with code ${worker.exitCode}`)
}

/** All but the sessions, so that the users of the load go on. */
async function deleteRedisData(url: string): Promise<void> {
  const redis = openRedis(url, 'fault run')
  const isDeleted = async () => {
    const keys = await redis.keys('*')
    const lost = keys.filter((key) => !key.startsWith('session'))
    if (lost.length > 0) await redis.del(lost)
    return true
  }
  // Another fault may have it down.
  const took = await waitFor(REDIS_TIMEOUT_MS, isDeleted)
  redis.disconnect()
  if (took === null) throw new Error('the data of Redis could not be deleted')
}
