import { basename } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { GenericContainer, getContainerRuntimeClient, Wait } from 'testcontainers'
import {
  freePort,
  SERVER_IMAGES as images,
  MINIO_CREDENTIALS,
  pingMinio,
  pingNats,
  pingPostgres,
  pingRedis,
  type TestServer,
  type TestServerOptions,
} from '../servers/index.ts'
import { belongsToRunningProcess, testDirectory } from './temp-directory.ts'

// The servers of the tests as containers, for SKYFOLIO_RUNTIME=docker.

/** The run of tests that a container belongs to. */
const RUN_LABEL = 'skyfolio.test-run'
const READY_WITHIN_MS = 60_000

export const postgres = ({ durable = false }: TestServerOptions) =>
  run({
    image: images.postgres,
    port: 5432,
    env: { POSTGRES_PASSWORD: 'test', POSTGRES_INITDB_ARGS: '--encoding=UTF8 --locale=C.UTF-8' },
    command: ['-c', 'max_connections=200', '-c', `fsync=${durable ? 'on' : 'off'}`],
    url: (port) => `postgres://postgres:test@127.0.0.1:${port}`,
    ping: pingPostgres,
  })

export const redis = ({ durable = false, config = [] }: TestServerOptions) =>
  run({
    image: images.redis,
    port: 6379,
    file: {
      path: '/tmp/redis.conf',
      lines: [
        // Its port is published on loopback alone.
        'protected-mode no',
        'appendonly yes',
        `appendfsync ${durable ? 'everysec' : 'no'}`,
        'maxmemory-policy noeviction',
        ...config,
      ],
    },
    command: ['redis-server', '/tmp/redis.conf'],
    url: (port) => `redis://127.0.0.1:${port}`,
    ping: pingRedis,
  })

export const nats = ({ durable = false, config = [] }: TestServerOptions) =>
  run({
    image: images.nats,
    port: 4222,
    file: {
      path: '/tmp/nats.conf',
      lines: [`jetstream { store_dir: "/data", sync_interval: ${durable ? 'always' : '2m'} }`, ...config],
    },
    command: ['--config', '/tmp/nats.conf'],
    url: (port) => `nats://127.0.0.1:${port}`,
    ping: pingNats,
  })

export const minio = () =>
  run({
    image: images.minio,
    port: 9000,
    env: { MINIO_ROOT_USER: MINIO_CREDENTIALS.accessKey, MINIO_ROOT_PASSWORD: MINIO_CREDENTIALS.secretKey },
    command: ['server', '/data'],
    url: (port) => `http://127.0.0.1:${port}`,
    ping: pingMinio,
  })

/** Removes the containers of this run, and those that killed runs have left. */
export async function removeContainers(): Promise<void> {
  const { dockerode } = (await getContainerRuntimeClient()).container
  const listed = await dockerode.listContainers({ all: true, filters: { label: [RUN_LABEL] } })
  const ended = listed.filter(({ Labels }) => !belongsToRunningProcess(Labels[RUN_LABEL] ?? '') || isOurs(Labels))
  await Promise.all(ended.map(({ Id }) => dockerode.getContainer(Id).remove({ force: true, v: true })))
}

function isOurs(labels: Record<string, string>): boolean {
  return labels[RUN_LABEL] === basename(testDirectory())
}

interface ContainerSpec {
  image: string
  port: number
  command: string[]
  env?: Record<string, string>
  /** The server's configuration. */
  file?: { path: string; lines: string[] }
  url: (port: number) => string
  /** Throws unless the server responds. */
  ping: (url: string) => Promise<void>
}

/** Binds to loopback, since the passwords of these servers are public. */
class LoopbackContainer extends GenericContainer {
  protected override async beforeContainerCreated(): Promise<void> {
    const bindings = this.hostConfig.PortBindings as Record<string, { HostIp?: string }[]>
    for (const binding of Object.values(bindings).flat()) binding.HostIp = '127.0.0.1'
  }
}

async function run({ image, port: inside, command, env = {}, file, ...spec }: ContainerSpec): Promise<TestServer> {
  // A fixed port of the host: it must stay the same when the container starts again.
  const port = await freePort()
  const url = spec.url(port)
  const started = await new LoopbackContainer(image)
    .withCommand(command)
    .withEnvironment(env)
    .withCopyContentToContainer(file ? [{ target: file.path, content: file.lines.join('\n') }] : [])
    .withExposedPorts({ container: inside, host: port })
    .withLabels({ [RUN_LABEL]: basename(testDirectory()) })
    // `removeContainers` cleans up, so that no further container needs the engine's socket.
    .withAutoCleanup(false)
    .withWaitStrategy(Wait.forListeningPorts())
    .start()
  await waitUntilReady(spec.ping, url)
  const client = await getContainerRuntimeClient()
  const container = client.container.getById(started.getId())
  return {
    url,
    stop: async () => {
      await container.stop()
    },
    kill: async () => {
      await container.kill()
    },
    start: async () => {
      await container.start()
      await waitUntilReady(spec.ping, url)
    },
  }
}

async function waitUntilReady(ping: (url: string) => Promise<void>, url: string): Promise<void> {
  for (const deadline = Date.now() + READY_WITHIN_MS; ; await delay(50)) {
    try {
      return await ping(url)
    } catch (error) {
      if (Date.now() > deadline) throw new Error(`${url} does not respond`, { cause: error })
    }
  }
}
