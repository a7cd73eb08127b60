import { join } from 'node:path'
import { findNats, freePort, makeDirectory, writePrivateFile } from '@skyfolio/testkit/servers'
import { type LedStore, type StoreContext, StoreNode } from './store-node.ts'

const USER = 'skyfolio'
const NAMES = ['nats-1', 'nats-2', 'nats-3']

/** What a server says of JetStream (`/jsz`). */
interface JetStreamState {
  meta_cluster?: { leader?: string; cluster_size: number; replicas?: Replica[] }
  account_details?: { stream_detail?: StreamState[] }[]
}

interface Replica {
  current: boolean
  offline?: boolean
}

interface Group {
  name: string
  cluster?: { leader?: string; replicas?: Replica[] }
}

interface StreamState extends Group {
  consumer_detail?: Group[]
}

/** Three nats-servers in a cluster, whose streams have three replicas that are synced to disk. */
export async function startNatsCluster(context: StoreContext) {
  const { folder, network, password, add } = context
  const command = await findNats()
  const login = `${USER}:${password}`
  const clientLines: number[] = []
  const monitors = new Map<string, string>()
  const ports = new Map<string, { client: number; route: number; monitor: number }>()
  for (const name of NAMES)
    ports.set(name, { client: await freePort(), route: await freePort(), monitor: await freePort() })

  const nodes: StoreNode[] = []
  for (const name of NAMES) {
    const own = ports.get(name) ?? { client: 0, route: 0, monitor: 0 }
    clientLines.push(await network.call('open', name, own.client))
    monitors.set(name, `http://127.0.0.1:${own.monitor}`)
    const routes: string[] = []
    for (const [other, { route }] of ports) {
      if (other !== name)
        routes.push(`nats-route://${login}@127.0.0.1:${await network.call('open', other, route, name)}`)
    }
    const config = {
      server_name: name,
      listen: `127.0.0.1:${own.client}`,
      http: `127.0.0.1:${own.monitor}`,
      jetstream: { store_dir: join(folder, name), sync_interval: 'always' },
      authorization: { user: USER, password },
      cluster: {
        name: 'skyfolio',
        listen: `127.0.0.1:${own.route}`,
        authorization: { user: USER, password },
        routes,
        no_advertise: true,
        // Servers tell each other this address of a third one: nobody may get past the lines.
        advertise: '127.0.0.1:9',
      },
    }
    await makeDirectory(join(folder, name))
    const file = join(folder, `${name}.conf`)
    await writePrivateFile(file, JSON.stringify(config, null, 2))
    const ready = () => fetch(`http://127.0.0.1:${own.monitor}/varz`)
    nodes.push(new StoreNode(name, folder, [{ name: 'nats', command, args: ['--config', file], ready }]))
  }
  for (const node of nodes) await add(node)

  const stateOf = async (name: string): Promise<JetStreamState> => {
    const url = `${monitors.get(name)}/jsz?accounts=true&streams=true&consumers=true`
    const response = await fetch(url, { signal: AbortSignal.timeout(1_000) })
    return (await response.json()) as JetStreamState
  }
  const store: LedStore = {
    nodes,
    /** The one that leads the most streams. */
    async leader() {
      const states = await Promise.all(NAMES.map((name) => stateOf(name).catch(() => ({}))))
      const led = new Map<string, number>()
      for (const state of states) {
        // Each server tells of the streams that it has; what their leader says is true.
        for (const { cluster } of streamsOf(state))
          if (cluster?.leader) led.set(cluster.leader, (led.get(cluster.leader) ?? 0) + 1)
      }
      const [most] = [...led].toSorted(([, a], [, b]) => b - a)
      return nodes.find(({ name }) => name === most?.[0]) ?? null
    },
    async isWhole() {
      const states = await Promise.all(NAMES.map(stateOf))
      // Only the leader knows how far the others are.
      const meta = states.map(({ meta_cluster: group }) => group).find((group, index) => group?.leader === NAMES[index])
      if (meta?.replicas?.length !== NAMES.length - 1 || !meta.replicas.every(isCurrent)) return false
      return states.every((state, index) =>
        streamsOf(state)
          .flatMap((stream) => [stream, ...(stream.consumer_detail ?? [])])
          .every(({ cluster }) => {
            if (!cluster?.leader) return cluster === undefined
            return cluster.leader !== NAMES[index] || (cluster.replicas ?? []).every(isCurrent)
          }),
      )
    },
  }
  return { store, url: `nats://${login}@${clientLines.map((port) => `127.0.0.1:${port}`).join()}` }
}

const streamsOf = ({ account_details: accounts = [] }: JetStreamState) =>
  accounts.flatMap(({ stream_detail: streams = [] }) => streams)

const isCurrent = ({ current, offline }: Replica) => current && !offline
