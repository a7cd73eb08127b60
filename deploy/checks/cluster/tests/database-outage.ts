import { setTimeout as delay } from 'node:timers/promises'
import { COMPONENTS, componentNames } from '../../../components.ts'
import { seedFolders } from '../../load/seed-folders.ts'
import {
  componentOf,
  countRestarts,
  get,
  isReady,
  kubectl,
  listPods,
  objectName,
  target,
  waitUntil,
  waitUntilSettled,
} from '../cluster.ts'
import { type Outcome, took } from '../outcome.ts'

/** Longer than a liveness probe that depended on the database would tolerate. */
const OUTAGE_MS = 90_000
const NOT_READY_TIMEOUT_SECONDS = 60
const READY_TIMEOUT_SECONDS = 120
const dependents = componentNames(COMPONENTS.filter(({ database }) => database))

/** During an outage of PostgreSQL pods are not ready and do not restart; afterwards they become ready by themselves. */
export async function databaseOutage({ figures, checks }: Outcome): Promise<void> {
  const account = { username: `outage-${Date.now()}`, password: 'a long enough password' }
  const { folders } = await seedFolders(target.url, account, { folders: 1, photos: 3 })
  const [folder] = folders
  const vote = (voter: string) =>
    fetch(`${target.url}/api/photos/${folder?.photos[0]}/rank`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ fingerprint: `${account.username}-${voter}`, rank: 'first', folderId: folder?.id }),
    })
  checks['a vote was accepted before'] = (await vote('before')).status === 200
  const restarts = countRestarts(await listPods())
  const uids = await uidsOf(dependents)

  await scaleDatabase(0)
  const isNoneReady = async () => (await componentPods(dependents)).every((pod) => !isReady(pod))
  const notReady = waitUntil('no pod that needs PostgreSQL is ready', NOT_READY_TIMEOUT_SECONDS, isNoneReady)
  figures['until no pod that needs PostgreSQL was ready'] = await took(notReady)
  // A pod that starts during the outage waits as well.
  await kubectl('delete', 'pod', '--selector', selectorOf('folders'), '--wait=false')
  await delay(OUTAGE_MS)
  checks['pods that need PostgreSQL were not ready'] =
    (await componentPods(dependents)).length >= dependents.length && (await isNoneReady())
  const gateway = await componentPods(['gateway'])
  const [page, rejected] = [await fetch(target.url), await vote('during')]
  checks['the gateway was ready and served the page'] = gateway.every(isReady) && page.status === 200
  checks['a vote was rejected with Retry-After'] = rejected.status === 503 && rejected.headers.has('retry-after')
  const restartsDuringOutage = countRestarts(await listPods())

  await scaleDatabase(1)
  const back = waitUntil('every pod is ready again', READY_TIMEOUT_SECONDS, async () => {
    return (await listPods()).every(isReady)
  })
  figures['until all pods were ready again'] = await took(back)
  const counted = waitUntil('a vote is accepted again', 30, async () => (await vote('after')).status === 200)
  figures['until a vote was accepted, later'] = await took(counted)
  await waitUntilSettled(READY_TIMEOUT_SECONDS)
  const same = await uidsOf(dependents.filter((component) => component !== 'folders'))
  checks['pods were not replaced'] = same.every((uid) => uids.includes(uid))
  checks['no container restarted'] = restartsDuringOutage === restarts && countRestarts(await listPods()) === restarts
}

const selectorOf = (component: string) =>
  `app.kubernetes.io/instance=${target.release},app.kubernetes.io/component=${component}`

async function componentPods(components: string[]) {
  return (await listPods()).filter((pod) => components.includes(componentOf(pod)))
}

async function uidsOf(components: string[]): Promise<string[]> {
  return (await componentPods(components)).map(({ metadata }) => metadata.uid)
}

async function scaleDatabase(replicas: number): Promise<void> {
  const name = objectName('postgresql')
  await kubectl('scale', `statefulset/${name}`, `--replicas=${replicas}`)
  if (replicas > 0) return
  await waitUntil('PostgreSQL has terminated', NOT_READY_TIMEOUT_SECONDS, async () => {
    const { items } = await get<{ items: unknown[] }>('pods', '--selector', selectorOf('postgresql'))
    return items.length === 0
  })
}
