import { GenericContainer, getContainerRuntimeClient, Wait } from 'testcontainers'
import { freePort, MINIO_ACCESS } from '../servers/index.ts'
import type { TestServer } from './servers.ts'

// The servers of the tests as containers, for SKYFOLIO_RUNTIME=docker.

export const postgres = () =>
  run({
    image: 'postgres:18-alpine',
    port: 5432,
    env: { POSTGRES_PASSWORD: 'test' },
    command: ['-c', 'max_connections=200'],
    url: (port) => `postgres://postgres:test@127.0.0.1:${port}`,
  })

export const redis = (config: string[] = []) =>
  run({
    image: 'valkey/valkey:9-alpine',
    port: 6379,
    file: { path: '/tmp/valkey.conf', lines: ['appendonly yes', 'maxmemory-policy noeviction', ...config] },
    command: ['valkey-server', '/tmp/valkey.conf'],
    url: (port) => `redis://127.0.0.1:${port}`,
  })

export const nats = (config: string[] = []) =>
  run({
    image: 'nats:2.12-alpine',
    port: 4222,
    file: { path: '/tmp/nats.conf', lines: ['jetstream { store_dir: "/data" }', ...config] },
    command: ['--config', '/tmp/nats.conf'],
    url: (port) => `nats://127.0.0.1:${port}`,
  })

export const minio = () =>
  run({
    image: 'quay.io/minio/minio:RELEASE.2025-09-07T16-13-09Z',
    port: 9000,
    env: { MINIO_ROOT_USER: MINIO_ACCESS.accessKey, MINIO_ROOT_PASSWORD: MINIO_ACCESS.secretKey },
    command: ['server', '/data'],
    url: (port) => `http://127.0.0.1:${port}`,
  })

interface ContainerSpec {
  image: string
  port: number
  command: string[]
  env?: Record<string, string>
  /** The server's configuration. */
  file?: { path: string; lines: string[] }
  url: (port: number) => string
}

async function run(spec: ContainerSpec): Promise<TestServer> {
  // A fixed port of the host: it must stay the same when the container starts again.
  const port = await freePort()
  const started = await new GenericContainer(spec.image)
    .withCommand(spec.command)
    .withEnvironment(spec.env ?? {})
    .withCopyContentToContainer(spec.file ? [{ target: spec.file.path, content: spec.file.lines.join('\n') }] : [])
    .withExposedPorts({ container: spec.port, host: port })
    .withWaitStrategy(Wait.forListeningPorts())
    .start()
  const client = await getContainerRuntimeClient()
  const container = client.container.getById(started.getId())
  return {
    url: spec.url(port),
    stop: async () => {
      await container.stop()
    },
    kill: async () => {
      await container.kill()
    },
    start: async () => {
      await container.start()
    },
  }
}
