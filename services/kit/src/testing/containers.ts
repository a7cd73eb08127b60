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

export const redis = () =>
  run({
    image: 'valkey/valkey:9-alpine',
    port: 6379,
    command: ['valkey-server', '--appendonly', 'yes', '--maxmemory-policy', 'noeviction'],
    url: (port) => `redis://127.0.0.1:${port}`,
  })

export const nats = () =>
  run({
    image: 'nats:2.12-alpine',
    port: 4222,
    command: ['-js', '-sd', '/data'],
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
  url: (port: number) => string
}

async function run(spec: ContainerSpec): Promise<TestServer> {
  // A fixed port of the host: it must stay the same when the container starts again.
  const port = await freePort()
  const started = await new GenericContainer(spec.image)
    .withCommand(spec.command)
    .withEnvironment(spec.env ?? {})
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
