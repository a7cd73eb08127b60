import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openRedis } from '@skyfolio/kit'
import { findRedis, freePort, pingRedis, writePrivateFile } from '@skyfolio/testkit/servers'
import { type LedStore, type Store, type StoreContext, StoreNode } from './store-node.ts'

const MASTER = 'skyfolio'
/** Flags of a server that a Sentinel does not reach. */
const GONE = /[so]_down|disconnected/
/** Three, so that a master without one of its replicas still takes writes (min-replicas-to-write). */
const SERVERS = ['redis-1', 'redis-2', 'redis-3']
const SENTINELS = ['sentinel-1', 'sentinel-2', 'sentinel-3']

interface Place {
  port: number
  /** Where the others and Skyfolio reach it. */
  line: number
  /** Where its connections come from. */
  address: string
}

/** Redis with two replicas, and three Sentinels that choose the master. */
export async function startRedisWithSentinels(context: StoreContext) {
  const { folder, network, password, add, clockEnv } = context
  const command = await findRedis()
  const places = new Map<string, Place>()
  for (const [index, name] of [...SERVERS, ...SENTINELS].entries()) {
    const port = await freePort()
    const address = `127.0.0.${101 + index}`
    await network.call('identify', name, address)
    places.set(name, { port, line: await network.call('open', name, port), address })
    await mkdir(join(folder, name))
  }
  const placeOf = (name: string) => places.get(name) as Place
  const first = `127.0.0.1 ${placeOf('redis-1').line}`

  async function nodeOf(name: string, lines: string[], args: string[], url: string): Promise<StoreNode> {
    const { port, address } = placeOf(name)
    const file = join(folder, name, 'redis.conf')
    const common = [`port ${port}`, 'bind 127.0.0.1', `bind-source-addr ${address}`, `dir "${join(folder, name)}"`]
    // Written once: Sentinel keeps in it what it has changed.
    await writePrivateFile(file, [...common, ...lines, ''].join('\n'))
    const ready = () => pingRedis(url)
    return new StoreNode(name, folder, [{ name: 'redis', command, args: [file, ...args], ready, env: clockEnv(name) }])
  }

  const nodes: StoreNode[] = []
  const urlOf = (name: string) => `redis://:${password}@127.0.0.1:${placeOf(name).port}`
  for (const name of SERVERS) {
    const lines = [
      `requirepass ${password}`,
      `masterauth ${password}`,
      'replica-announce-ip 127.0.0.1',
      `replica-announce-port ${placeOf(name).line}`,
      'save ""',
      'appendonly yes',
      'maxmemory-policy noeviction',
      'min-replicas-to-write 1',
      'min-replicas-max-lag 10',
      // A master that was restarted takes no writes before a replica is in sync, which by default begins after 5 seconds.
      'repl-diskless-sync-delay 0',
      ...(name === 'redis-1' ? [] : [`replicaof ${first}`]),
    ]
    nodes.push(await nodeOf(name, lines, [], urlOf(name)))
  }
  const sentinels: StoreNode[] = []
  for (const name of SENTINELS) {
    const lines = [
      'protected-mode no',
      'sentinel announce-ip 127.0.0.1',
      `sentinel announce-port ${placeOf(name).line}`,
      `sentinel monitor ${MASTER} ${first} 2`,
      `sentinel auth-pass ${MASTER} ${password}`,
      `sentinel down-after-milliseconds ${MASTER} 2000`,
      `sentinel failover-timeout ${MASTER} 10000`,
    ]
    sentinels.push(await nodeOf(name, lines, ['--sentinel'], `redis://127.0.0.1:${placeOf(name).port}`))
  }
  for (const node of [...nodes, ...sentinels]) await add(node)

  const ask = async (name: string, ...command: [string, ...string[]]): Promise<unknown> => {
    const url = SERVERS.includes(name) ? urlOf(name) : `redis://127.0.0.1:${placeOf(name).port}`
    const redis = openRedis(url, 'check')
    redis.on('error', () => {})
    try {
      return await redis.call(...command)
    } finally {
      redis.disconnect()
    }
  }
  const replication = async (name: string) => parseInfo(String(await ask(name, 'INFO', 'replication')))
  /** The line of the master, as a Sentinel knows it. */
  const masterLine = async (sentinel: string) => {
    const [, port] = (await ask(sentinel, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', MASTER)) as string[]
    return Number(port)
  }
  const masterOf = async (sentinel: string) => {
    const line = await masterLine(sentinel)
    return SERVERS.find((name) => placeOf(name).line === line)
  }

  async function leader(): Promise<StoreNode | null> {
    const votes = await Promise.all(SENTINELS.map((name) => masterOf(name).catch(() => undefined)))
    const master = SERVERS.find((name) => votes.filter((vote) => vote === name).length >= 2)
    return nodes.find(({ name }) => name === master) ?? null
  }

  async function areReplicasInSync(): Promise<boolean> {
    const master = await leader()
    const states: Record<string, string>[] = await Promise.all(
      SERVERS.map(async (name) => ({ ...(await replication(name)), name })),
    )
    return states.every(({ name, role, connected_slaves: replicas, master_link_status: link, ...state }) => {
      if (name !== master?.name) return role === 'slave' && link === 'up' && state.master_sync_in_progress === '0'
      return (
        role === 'master' && replicas === '2' && [0, 1].every((index) => state[`slave${index}`]?.includes('online'))
      )
    })
  }

  /** They see the master, both replicas and each other. */
  async function areSentinelsWhole(): Promise<boolean> {
    const states = await Promise.all(
      SENTINELS.map(async (name) => ({
        tilt: parseInfo(String(await ask(name, 'INFO', 'sentinel'))).sentinel_tilt,
        master: fieldsOf(await ask(name, 'SENTINEL', 'MASTER', MASTER)),
        replicas: ((await ask(name, 'SENTINEL', 'REPLICAS', MASTER)) as unknown[]).map(fieldsOf),
        others: ((await ask(name, 'SENTINEL', 'SENTINELS', MASTER)) as unknown[]).map(fieldsOf),
      })),
    )
    const isWell = ({ tilt, master, replicas, others }: (typeof states)[number]) =>
      tilt === '0' &&
      master.flags === 'master' &&
      replicas.length === 2 &&
      others.length === 2 &&
      [...replicas, ...others].every(({ flags = '' }) => !GONE.test(flags))
    return states.every(isWell) && new Set(states.map(({ master }) => master.port)).size === 1
  }

  const redis: LedStore = { nodes, leader, isWhole: async () => (await areReplicasInSync()) && areSentinelsWhole() }
  const hosts = SENTINELS.map((name) => `127.0.0.1:${placeOf(name).line}`)
  return {
    store: redis,
    sentinels: { nodes: sentinels, isWhole: areSentinelsWhole } satisfies Store,
    url: `redis+sentinel://:${password}@${hosts.join()}/${MASTER}`,
  }
}

/** The lines of INFO. */
function parseInfo(text: string): Record<string, string> {
  return Object.fromEntries(text.split('\r\n').map((line) => [line.split(':')[0] ?? '', line.replace(/^[^:]*:/, '')]))
}

/** Names and values one after the other. */
function fieldsOf(list: unknown): Record<string, string> {
  const texts = list as string[]
  return Object.fromEntries(texts.flatMap((name, index) => (index % 2 ? [] : [[name, texts[index + 1] ?? '']])))
}
