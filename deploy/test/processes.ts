import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { newSessionToken, openRedis, type Session, sessionHash, sessionKey } from '@skyfolio/kit'
import {
  createTestDatabase,
  startNats,
  startRedis,
  startTcpProxy,
  TEST_IDENTITY_KEYS,
  testDirectory,
  waitFor,
} from '@skyfolio/testkit'
import { freePort } from '@skyfolio/testkit/servers'
import { componentNamed } from '../components.ts'
import { root } from '../local/paths.ts'

const ORIGIN = 'http://skyfolio.test'

/**
 * Starts the system's processes individually on private servers, without auth. `env` is passed to each. They reach
 * PostgreSQL and NATS through proxies that a test can freeze.
 */
export async function openProcesses(env: Record<string, string> = {}) {
  const [media, folders] = await Promise.all([createTestDatabase('media'), createTestDatabase('folders')])
  const [redis, nats] = await Promise.all([startRedis(), startNats()])
  const natsProxy = await startTcpProxy(nats.url)
  const postgresProxy = await startTcpProxy(media.url)
  const throughProxy = (database: string) => {
    const url = new URL(database)
    url.port = new URL(postgresProxy.url).port
    return url.href
  }
  const folder = await mkdtemp(join(testDirectory(), 'processes-'))
  const [gatewayPort, mediaPort, foldersPort] = await Promise.all([freePort(), freePort(), freePort()])
  const store = { OBJECT_STORE_DIR: join(folder, 'objects') }
  const own: Record<string, Record<string, string>> = {
    gateway: {
      PORT: `${gatewayPort}`,
      AUTH_URL: 'http://127.0.0.1:9',
      MEDIA_URL: `http://127.0.0.1:${mediaPort}`,
      FOLDERS_URL: `http://127.0.0.1:${foldersPort}`,
      PRINT_ORDERS_URL: 'http://127.0.0.1:9',
    },
    media: {
      PORT: `${mediaPort}`,
      DATABASE_URL: throughProxy(media.url),
      PRINT_IMAGE_KEYS: 'p'.repeat(32),
      LINK_KEYS: 'l'.repeat(32),
      ...store,
    },
    'media-worker': { DATABASE_URL: throughProxy(media.url), ...store },
    folders: {
      PORT: `${foldersPort}`,
      DATABASE_URL: throughProxy(folders.url),
      VOTER_KEYS: 'v'.repeat(32),
      LINK_KEYS: 'l'.repeat(32),
    },
  }
  const common = {
    NATS_URL: natsProxy.url,
    REDIS_URL: redis.url,
    IDENTITY_KEYS: TEST_IDENTITY_KEYS.join(),
    PUBLIC_ORIGIN: ORIGIN,
    LOG_LEVEL: 'warn',
  }
  const children = new Map<string, ChildProcess>()

  async function stop(name: string): Promise<void> {
    const child = children.get(name)
    children.delete(name)
    child?.kill('SIGTERM')
    // A frozen one ends when it continues.
    child?.kill('SIGCONT')
    if (child?.exitCode === null) await once(child, 'exit')
  }

  return {
    nats: natsProxy,
    postgres: postgresProxy,
    foldersDatabase: folders.url,
    url: `http://127.0.0.1:${gatewayPort}`,

    /** Starts processes; resolves when they are ready. */
    async start(...names: string[]): Promise<void> {
      await Promise.all(
        names.map(async (name) => {
          const opsPort = await freePort()
          const child = spawn(process.execPath, [join(root, componentNamed(name).entryPoint)], {
            env: { ...process.env, ...common, ...own[name], ...env, OPS_PORT: `${opsPort}` },
            stdio: ['ignore', 'inherit', 'inherit'],
          })
          children.set(name, child)
          const ready = async () => (await fetch(`http://127.0.0.1:${opsPort}/readyz`)).ok
          await waitFor(ready, { what: `${name} is ready`, timeoutMs: 90_000 })
        }),
      )
    },

    stop,
    freeze: (name: string) => children.get(name)?.kill('SIGSTOP'),
    thaw: (name: string) => children.get(name)?.kill('SIGCONT'),

    /** Calls the gateway as this user's browser does. */
    async call(userId: number, path: string, init: RequestInit): Promise<Response> {
      const token = newSessionToken()
      const session: Session = {
        userId,
        username: 'pilot',
        isAdmin: false,
        persistent: false,
        createdAt: '',
        userAgent: null,
      }
      const connection = openRedis(redis.url, 'test')
      await connection.set(sessionKey(sessionHash(token)), JSON.stringify(session))
      connection.disconnect()
      const headers = { ...(init.headers as Record<string, string>), origin: ORIGIN, cookie: `sid=${token}` }
      return fetch(`http://127.0.0.1:${gatewayPort}${path}`, { ...init, headers })
    },

    async close(): Promise<void> {
      for (const name of [...children.keys()].reverse()) await stop(name)
      await Promise.all([natsProxy.close(), postgresProxy.close()])
      await Promise.all([redis.stop(), nats.stop()])
      await Promise.all([media.drop(), folders.drop()])
    },
  }
}

export type Processes = Awaited<ReturnType<typeof openProcesses>>
