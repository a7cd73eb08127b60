import { setTimeout as delay } from 'node:timers/promises'
import { COMPONENTS, componentNames } from '../../../components.ts'
import { seedVotes } from '../../load/seed.ts'
import {
  componentOf,
  get,
  isReady,
  kubectl,
  objectName,
  pods,
  restartsOf,
  target,
  until,
  untilSettled,
} from '../cluster.ts'
import { inSeconds, type Outcome } from '../figures.ts'

/** Longer than a liveness probe that asked the database would bear. */
const awayMs = 90_000
const soonSeconds = 60
const backSeconds = 120
const needing = componentNames(COMPONENTS.filter(({ database }) => database))

/** PostgreSQL is away: pods are not ready and are not started again; it returns: they are ready by themselves. */
export async function databaseAway(): Promise<Outcome> {
  const account = { username: `away-${Date.now()}`, password: 'a long enough password' }
  const { folders } = await seedVotes(target.url, account, { folders: 1, photos: 3 })
  const [folder] = folders
  const vote = (voter: string) =>
    fetch(`${target.url}/api/photos/${folder?.photos[0]}/rank`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ fingerprint: `${account.username}-${voter}`, rank: 'first', folderId: folder?.id }),
    })
  const before = (await vote('before')).status
  const restarts = restartsOf(await pods())
  const uids = await uidsOf(needing)

  await scaleDatabase(0)
  const notReady = await until('no pod that needs PostgreSQL is ready', soonSeconds, async () => {
    return (await componentPods(needing)).every((pod) => !isReady(pod))
  })
  // One that starts meanwhile waits as well.
  await kubectl('delete', 'pod', '--selector', selectorOf('folders'), '--wait=false')
  await delay(awayMs)
  const away = await componentPods(needing)
  const gateway = await componentPods(['gateway'])
  const [page, refused] = [await fetch(target.url), await vote('meanwhile')]
  const restartsAway = restartsOf(await pods())

  await scaleDatabase(1)
  const back = await until('every pod is ready again', backSeconds, async () => (await pods()).every(isReady))
  const counted = await until('a vote is counted again', 30, async () => (await vote('after')).status === 200)
  await untilSettled(backSeconds)
  const same = await uidsOf(needing.filter((component) => component !== 'folders'))
  return {
    figures: {
      'until no pod that needs PostgreSQL was ready': inSeconds(notReady),
      'PostgreSQL was away for': inSeconds(awayMs / 1000),
      'until all pods were ready again': inSeconds(back),
      'until a vote was counted': `${inSeconds(counted)} later`,
      'containers started again': restartsOf(await pods()) - restarts,
      'answer to a vote meanwhile': `${refused.status}, Retry-After ${refused.headers.get('retry-after')}`,
    },
    checks: {
      'pods that need PostgreSQL were not ready': away.length >= needing.length && !away.some(isReady),
      'no container was started again': restartsAway === restarts && restartsOf(await pods()) === restarts,
      'pods that were there are there': same.every((uid) => uids.includes(uid)),
      'the gateway was ready and gave the page': gateway.every(isReady) && page.status === 200,
      'a vote was counted before, and refused with Retry-After meanwhile':
        before === 200 && refused.status === 503 && refused.headers.has('retry-after'),
    },
  }
}

const selectorOf = (component: string) =>
  `app.kubernetes.io/instance=${target.release},app.kubernetes.io/component=${component}`

async function componentPods(components: string[]) {
  return (await pods()).filter((pod) => components.includes(componentOf(pod)))
}

async function uidsOf(components: string[]): Promise<string[]> {
  return (await componentPods(components)).map(({ metadata }) => metadata.uid)
}

async function scaleDatabase(replicas: number): Promise<void> {
  const name = objectName('postgresql')
  await kubectl('scale', `statefulset/${name}`, `--replicas=${replicas}`)
  if (replicas > 0) return
  await until('PostgreSQL is gone', soonSeconds, async () => {
    const { items } = await get<{ items: unknown[] }>('pods', '--selector', selectorOf('postgresql'))
    return items.length === 0
  })
}
