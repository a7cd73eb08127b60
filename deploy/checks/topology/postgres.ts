import { execFile } from 'node:child_process'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { cacheDirectory, freePort, giveFolder, isExecutable, unprivilegedUser } from '@skyfolio/testkit/servers'
import { type LedStore, type Program, type StoreContext, StoreNode } from './store-node.ts'

const PATRONI = ['patroni[etcd3]==4.1.5', 'psycopg2-binary==2.9.13']

/** Patroni in seconds: its least time to live, after which a leader that no longer renews its lock is replaced. */
const TIMES = { ttl: 20, loop_wait: 3, retry_timeout: 4 }

interface Member {
  name: string
  role: string
  state: string
}

interface Replication {
  state: string
  sync_state: string
}

interface Ports {
  postgres: number
  rest: number
  pooler: number
}

/**
 * PostgreSQL twice under Patroni, the standby synchronous, with an etcd that no fault hits. A PgBouncer stands before each, on
 * its node.
 */
export async function startPostgresPair(context: StoreContext) {
  const { folder, network, password } = context
  const user = await unprivilegedUser()
  const bin = dirname(await required('/usr/lib/postgresql/15/bin/postgres', 'postgresql-15'))
  const pgbouncer = await required('/usr/sbin/pgbouncer', 'pgbouncer')
  const patroni = await findPatroni()
  const etcdPort = await startEtcd(context)

  const names = ['postgres-1', 'postgres-2'] as const
  const ports = new Map<string, Ports>()
  for (const name of names)
    ports.set(name, { postgres: await freePort(), rest: await freePort(), pooler: await freePort() })
  const clients = { postgres: [] as number[], pooler: [] as number[] }
  const nodes: StoreNode[] = []
  for (const [index, name] of names.entries()) {
    const own = ports.get(name) as Ports
    const other = names[1 - index] as string
    const home = join(folder, name)
    await mkdir(home)
    clients.postgres.push(await network.call('open', name, own.postgres))
    clients.pooler.push(await network.call('open', name, own.pooler))
    const config = {
      scope: 'skyfolio',
      name,
      restapi: { listen: at(own.rest), connect_address: at(await network.call('open', name, own.rest, other)) },
      // Only this line, not what etcd says of itself.
      etcd3: { hosts: [at(await network.call('open', 'etcd', etcdPort, name))], use_proxies: true },
      bootstrap: {
        dcs: { ...TIMES, synchronous_mode: true, postgresql: { use_pg_rewind: true, use_slots: true } },
        initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
      },
      postgresql: {
        listen: at(own.postgres),
        connect_address: at(await network.call('open', name, own.postgres, other)),
        data_dir: join(home, 'data'),
        bin_dir: bin,
        pgpass: join(home, 'pgpass'),
        authentication: {
          superuser: { username: 'postgres', password },
          replication: { username: 'replicator', password },
        },
        pg_hba: ['host all all 127.0.0.1/32 scram-sha-256', 'host replication replicator 127.0.0.1/32 scram-sha-256'],
        parameters: {
          unix_socket_directories: home,
          max_connections: 200,
          wal_log_hints: 'on',
          wal_keep_size: '256MB',
          // A standby that says nothing holds up the writes for so long.
          wal_sender_timeout: '5s',
          wal_receiver_timeout: '5s',
        },
        remove_data_directory_on_rewind_failure: true,
        remove_data_directory_on_diverged_timelines: true,
      },
    }
    const files = {
      'patroni.yml': JSON.stringify(config, null, 2),
      'pgbouncer.ini': poolerConfig(home, own),
      'users.txt': `"postgres" "${password}"\n`,
    }
    for (const [file, text] of Object.entries(files)) await writeFile(join(home, file), text, { mode: 0o600 })
    if (user) await giveFolder(user, home)
    const env = { ...context.clockEnv(name), HOME: home, PATH: `${bin}:${process.env.PATH}` }
    const programs: Program[] = [
      {
        name: 'patroni',
        command: patroni,
        args: ['-m', 'patroni', join(home, 'patroni.yml')],
        env,
        user,
        ready: () => fetch(`http://${at(own.rest)}/liveness`),
      },
      {
        name: 'pgbouncer',
        command: pgbouncer,
        args: [join(home, 'pgbouncer.ini')],
        env,
        user,
        ready: async () => {},
      },
    ]
    nodes.push(new StoreNode(name, folder, programs, () => postmasterPid(join(home, 'data'))))
  }
  for (const node of nodes) await context.add(node)

  const store: LedStore = {
    nodes,
    async leader() {
      const areLeading = await Promise.all(
        names.map((name) =>
          ask((ports.get(name) as Ports).rest, '/primary').then(
            ({ ok }) => ok,
            () => false,
          ),
        ),
      )
      return nodes[areLeading.indexOf(true)] ?? null
    },
    async isWhole() {
      const { rest } = ports.get((await store.leader())?.name ?? '') as Ports
      const { members } = (await (await ask(rest, '/cluster')).json()) as { members: Member[] }
      const states = members.map(({ role, state }) => `${role} ${state}`).sort()
      // What Patroni has noted of a standby that has just been killed is older than what PostgreSQL says.
      const { replication = [] } = (await (await ask(rest, '/patroni')).json()) as { replication?: Replication[] }
      const isSynchronous = replication.some((one) => one.state === 'streaming' && one.sync_state === 'sync')
      return isSynchronous && states.join() === 'leader running,sync_standby streaming'
    },
  }
  const url = (lines: number[], query: string) =>
    `postgres://postgres:${password}@${lines.map(at).join()}?target_session_attrs=read-write${query}`
  return { store, url: url(clients.postgres, ''), poolerUrl: url(clients.pooler, '&pgbouncer=true') }
}

const ask = (port: number, path: string) => fetch(`http://${at(port)}${path}`, { signal: AbortSignal.timeout(1_000) })

const at = (port: number) => `127.0.0.1:${port}`

function poolerConfig(home: string, { postgres, pooler }: Ports): string {
  return `[databases]
* = host=127.0.0.1 port=${postgres}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${pooler}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(home, 'users.txt')}
pool_mode = transaction
max_client_conn = 500
; Of each database.
default_pool_size = 30
; By default a server that was away is not tried again for 15 seconds.
server_login_retry = 1
server_connect_timeout = 2
query_wait_timeout = 5
`
}

async function startEtcd({ folder, add }: StoreContext): Promise<number> {
  const command = await required('/usr/bin/etcd', 'etcd-server')
  const [port, peer] = [await freePort(), await freePort()]
  const urls = { client: `http://${at(port)}`, peer: `http://${at(peer)}` }
  const settings = {
    name: 'etcd',
    'data-dir': join(folder, 'etcd'),
    'listen-client-urls': urls.client,
    'advertise-client-urls': urls.client,
    'listen-peer-urls': urls.peer,
    'initial-advertise-peer-urls': urls.peer,
    'initial-cluster': `etcd=${urls.peer}`,
  }
  const args = Object.entries(settings).map(([name, value]) => `--${name}=${value}`)
  await add(
    new StoreNode('etcd', folder, [{ name: 'etcd', command, args, ready: () => fetch(`${urls.client}/health`) }]),
  )
  return port
}

/** The Python that has Patroni; made in the cache at the first time. */
async function findPatroni(): Promise<string> {
  const folder = join(cacheDirectory(), 'patroni-4.1.5')
  const python = join(folder, 'bin/python3')
  if (await isExecutable(python)) return python
  // Not the first on the PATH, which may be where PostgreSQL's user cannot reach it.
  const system = await required('/usr/bin/python3', 'python3')
  const unfinished = `${folder}.${process.pid}`
  try {
    await promisify(execFile)(system, ['-m', 'venv', unfinished]).catch((error: Error) => {
      throw new Error(`Patroni needs Python's venv (apt-get install python3-venv): ${error.message}`)
    })
    await promisify(execFile)(join(unfinished, 'bin/python3'), ['-m', 'pip', 'install', '--quiet', ...PATRONI])
    await rename(unfinished, folder)
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
  return python
}

/** Debian's program. @throws Error that names its package */
async function required(path: string, debianPackage: string): Promise<string> {
  if (!(await isExecutable(path))) throw new Error(`${path} is missing: apt-get install ${debianPackage}`)
  return path
}

/** PostgreSQL goes on when Patroni is killed. */
async function postmasterPid(dataDir: string): Promise<number[]> {
  const text = await readFile(join(dataDir, 'postmaster.pid'), 'utf8').catch(() => '')
  const pid = Number(text.split('\n')[0])
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return commandLine.includes(dataDir) ? [pid] : []
}
