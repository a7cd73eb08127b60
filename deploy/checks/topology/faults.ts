import { setTimeout as delay } from 'node:timers/promises'
import { type FaultRun, faultTargets } from '../../components.ts'
import { between, pick, type Random, seededRandom, shuffled } from '../faults/random.ts'
import { waitFor } from '../harness.ts'
import type { LedStore, Store, StoreNode } from './store-node.ts'
import { type Topology, untilWhole } from './topology.ts'

/** What happens to a node. In five consecutive seeds each target meets all of them. */
const WAYS = ['killed', 'killed and gone', 'frozen', 'cut off', 'cut off, refusing'] as const
type Way = (typeof WAYS)[number]

/** What a fault may cost: milliseconds until writes and share pages are answered again. */
export interface Bounds {
  writes: number
  shares: number
}

const BOUNDS: Bounds = { writes: 10_000, shares: 2_000 }
/** An object store rejects requests that are signed by a clock that is wrong. */
const NO_UPLOADS: Bounds = { ...BOUNDS, writes: Number.POSITIVE_INFINITY }
/** Every page needs the answer of PostgreSQL's leader. */
const BOUNDS_OF_DATABASE: Bounds = { writes: 30_000, shares: 30_000 }

interface Fault {
  name: string
  bounds: Bounds
  /** While it lasts, if they are others. */
  meanwhile?: Bounds
  /** Resolves with what ends the fault, when it may end. */
  strike(): Promise<() => Promise<unknown>>
}

/** What was done to the system, and when the next thing was: a fault, the end of a fault, a restart. */
export interface Incident {
  what: string
  from: number
  until: number
  bounds: Bounds
}

/** How long another node may take to lead. */
const SUCCESSION_MS = 60_000
/** After everything is whole again, for what comes late. */
const CALM_MS = 1_500
const HOUR_SECONDS = 3_600

const LEADERS = {
  postgres: 'PostgreSQL',
  nats: 'NATS',
  redis: 'Redis',
} as const

/** Who gets another time in a run: a component of Skyfolio or a node. */
export function chooseClock(run: FaultRun, seed: number): { component?: string; node?: string } {
  const nodes = ['sentinel-1', 'postgres-1', 'redis-1']
  const components = faultTargets(run)
  const turn = Math.floor(seed / 2)
  return seed % 2
    ? { component: components[turn % components.length] ?? '' }
    : { node: nodes[turn % nodes.length] ?? '' }
}

/** Injects every fault once, one at a time, then restarts all nodes. Adds to the incidents. */
export async function injectTopologyFaults(
  topology: Topology,
  run: FaultRun,
  seed: number,
  incidents: Incident[],
): Promise<void> {
  const random = seededRandom(seed)
  const start = Date.now()
  const begin = (what: string, bounds: Bounds) => {
    const from = Date.now()
    const last = incidents.at(-1)
    if (last) last.until = from
    console.log(`${((from - start) / 1000).toFixed(1).padStart(5)} s  ${what}`)
    incidents.push({ what, from, until: Number.POSITIVE_INFINITY, bounds })
  }
  const calm = async () => {
    await untilWhole(topology)
    await delay(CALM_MS + between(random, 0, 1_500))
  }
  begin('nothing yet', BOUNDS)
  await calm()
  for (const { name, bounds, meanwhile = bounds, strike } of shuffled(
    random,
    planFaults(topology, run, seed, random),
  )) {
    begin(name, meanwhile)
    const end = await strike()
    begin(`${name}: over`, bounds)
    await end()
    await calm()
  }
  for (const [kind, { nodes }] of Object.entries(topology.stores)) {
    for (const node of nodes) {
      begin(`restart of ${node.name}`, kind === 'postgres' ? BOUNDS_OF_DATABASE : BOUNDS)
      await node.restart()
      await calm()
    }
  }
}

function planFaults(topology: Topology, run: FaultRun, seed: number, random: Random): Fault[] {
  const { stores } = topology
  const wayOf = (place: number) => WAYS[(seed + place) % WAYS.length] as Way
  const faults: Fault[] = []
  for (const [kind, name] of Object.entries(LEADERS) as [keyof typeof LEADERS, string][]) {
    const store = stores[kind]
    const bounds = kind === 'postgres' ? BOUNDS_OF_DATABASE : BOUNDS
    const [leading, following] = [wayOf(faults.length), wayOf(faults.length + 1)]
    faults.push({
      name: `${name}'s leader ${leading}`,
      bounds,
      strike: () => hitLeader(topology, store, leading, random),
    })
    faults.push({
      name: `a follower of ${name} ${following}`,
      bounds: { ...BOUNDS, writes: bounds.writes },
      strike: async () => {
        const leader = await store.leader()
        const followers = store.nodes.filter((node) => node !== leader)
        return hit(topology, store, pick(random, followers), following, random)
      },
    })
  }
  const way = wayOf(faults.length)
  return [
    ...faults,
    {
      name: `a Sentinel ${way}`,
      bounds: BOUNDS,
      strike: () => hit(topology, stores.sentinels, pick(random, stores.sentinels.nodes), way, random),
    },
    {
      name: 'the object store killed',
      bounds: BOUNDS,
      strike: () => hit(topology, stores.objects, stores.objects.nodes[0] as StoreNode, 'killed', random),
    },
    { name: 'a drive of the object store gone', bounds: BOUNDS, strike: () => loseDrive(topology, random) },
    clockFault(topology, run, seed, random, 'ahead'),
    clockFault(topology, run, seed, random, 'back'),
  ]
}

/** Until another node leads. */
async function hitLeader(
  topology: Topology,
  store: LedStore,
  way: Way,
  random: Random,
): Promise<() => Promise<unknown>> {
  const leader = await store.leader()
  if (!leader) throw new Error('nobody leads')
  const end = await hit(topology, store, leader, way, random)
  if (way === 'killed') return end
  const hasSuccessor = async () => ![null, leader].includes(await store.leader())
  if ((await waitFor(SUCCESSION_MS, hasSuccessor)) !== null) return end
  await end()
  throw new Error(`nobody leads in the place of ${leader.name} after ${SUCCESSION_MS / 1000} s`)
}

/** Resolves with the end of the fault, after so long that others have noticed it. */
async function hit(
  { network }: Topology,
  store: Store,
  node: StoreNode,
  way: Way,
  random: Random,
): Promise<() => Promise<unknown>> {
  if (way === 'killed') {
    await node.kill()
    await delay(between(random, 500, 2_500))
    return async () => node.letStart()
  }
  const end = await take()
  await delay(between(random, 5_000, 10_000))
  if (!(await store.isWhole().catch(() => false))) return end
  await end()
  throw new Error(`${node.name} was ${way}, and nobody missed it`)

  async function take(): Promise<() => Promise<unknown>> {
    switch (way) {
      case 'killed and gone':
        await node.kill()
        return async () => node.letStart()
      case 'frozen':
        await node.freeze()
        return () => node.resume()
      default:
        await network.call('cutOff', node.name, way === 'cut off' ? 'silent' : 'refusing')
        return () => network.call('rejoin', node.name)
    }
  }
}

async function loseDrive({ takeDrive }: Topology, random: Random): Promise<() => Promise<unknown>> {
  const giveBack = await takeDrive(Math.floor(random() * 4))
  await delay(between(random, 5_000, 10_000))
  return giveBack
}

function clockFault(
  { clock }: Topology,
  run: FaultRun,
  seed: number,
  random: Random,
  direction: 'ahead' | 'back',
): Fault {
  const { component, node } = chooseClock(run, seed)
  return {
    name: `the clock of ${component ?? node} an hour ${direction}`,
    bounds: node?.startsWith('postgres') ? BOUNDS_OF_DATABASE : BOUNDS,
    ...(run === 'upload' && component === 'media' && { meanwhile: NO_UPLOADS }),
    async strike() {
      await clock.set(direction === 'ahead' ? HOUR_SECONDS : -HOUR_SECONDS)
      await delay(between(random, 8_000, 15_000))
      return () => clock.set(0)
    },
  }
}
