import { jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { connectNats, ensureStreams } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import { startNats, type TestServer } from '@skyfolio/testkit'
import { freePort } from '@skyfolio/testkit/servers'
import { afterAll, beforeAll, expect, test } from 'vitest'

let servers: TestServer[]
let nats: NatsConnection

// A cluster of three, each on an address that the others know.
beforeAll(async () => {
  const ports = await Promise.all([freePort(), freePort(), freePort()])
  const routes = ports.map((port) => `"nats://127.0.0.1:${port}"`)
  servers = await Promise.all(
    ports.map((port, index) =>
      startNats({
        config: [`server_name: n${index}`, `cluster { name: test, listen: "127.0.0.1:${port}", routes: [${routes}] }`],
      }),
    ),
  )
  nats = await connectNats(servers[0]?.url ?? '', 'test')
})

afterAll(async () => {
  await nats.close()
  await Promise.all(servers.map((server) => server.stop()))
})

async function stream(): Promise<{ num_replicas: number; subjects: string[] }> {
  const manager = await jetstreamManager(nats)
  return (await manager.streams.info('EVENTS')).config
}

test('replicas are added when a process requests them, and are kept when an older one starts', async () => {
  await ensureStreams(nats, events)
  expect(await stream()).toMatchObject({ num_replicas: 1 })
  await ensureStreams(nats, events, { replicas: 3 })
  expect(await stream()).toMatchObject({ num_replicas: 3 })
  await ensureStreams(nats, events)
  expect(await stream()).toMatchObject({ num_replicas: 3 })
})

test('subjects of a newer process are kept when an older one starts', async () => {
  const manager = await jetstreamManager(nats)
  const { subjects } = await stream()
  await manager.streams.update('EVENTS', { subjects: [...subjects, 'newer.*'] })
  await ensureStreams(nats, events)
  expect((await stream()).subjects).toEqual([...subjects, 'newer.*'])
})

test('a single server rejects replicas at once', async () => {
  const alone = await startNats()
  const connection = await connectNats(alone.url, 'test')
  await expect(ensureStreams(connection, events, { replicas: 3 })).rejects.toThrow('non-clustered')
  await connection.close()
  await alone.stop()
})
