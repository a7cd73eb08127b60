import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { nkeys } from '@nats-io/transport-node'
import { connectNats, createLogger, ensureStreams } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import { startNats, startTcpProxy, type TestServer, testDirectory, waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'

const PASSWORD = 'p:ss/w@rd %41'
const known = nkeys.createUser()
const stranger = nkeys.createUser()
let server: TestServer

beforeAll(async () => {
  const users = [`{ user: skyfolio, password: ${JSON.stringify(PASSWORD)} }`, `{ nkey: ${known.getPublicKey()} }`]
  server = await startNats({ config: [`authorization { users: [${users}] }`] })
})

afterAll(() => server.stop())

const withPassword = (password: string) => server.url.replace('://', `://skyfolio:${encodeURIComponent(password)}@`)

function logged() {
  const lines: string[] = []
  return { lines, logger: createLogger('test', 'info', { write: (line: string) => void lines.push(line) }) }
}

const part = (name: string, text: string) => `-----BEGIN ${name}-----\n${text}\n------END ${name}------\n`

/** A credentials file as `nsc` makes it; the server of these tests looks only at the key. */
async function writeCredentials(name: string, user: typeof known): Promise<string> {
  const file = join(testDirectory(), `${name}.creds`)
  const seed = new TextDecoder().decode(user.getSeed())
  await writeFile(file, part('NATS USER JWT', 'none') + part('USER NKEY SEED', seed))
  return file
}

test('a user and a password of any characters are read from the URL', async () => {
  const nats = await connectNats(withPassword(PASSWORD), 'test')
  await ensureStreams(nats, events)
  await nats.close()
})

test('rejected credentials are logged once and without the password, until the server accepts them', async () => {
  const { lines, logger } = logged()
  const credentialsFile = await writeCredentials('waiting', stranger)
  const connecting = connectNats(withPassword('not-the-one'), 'test', { credentialsFile, logger })
  await waitFor(() => lines.length > 0, { what: 'the log line' })
  await writeCredentials('waiting', known)
  const nats = await connecting
  await nats.close()
  expect(lines).toEqual([expect.stringContaining('Authorization Violation')])
  expect(lines.join()).not.toContain('not-the-one')
})

test('a connection survives a time in which the server rejects its credentials', async () => {
  const { lines, logger } = logged()
  const credentialsFile = await writeCredentials('changing', known)
  const nats = await connectNats(server.url, 'test', { credentialsFile, logger })
  await writeCredentials('changing', stranger)
  await server.stop()
  await server.start()
  await waitFor(() => lines.some((line) => line.includes('Authorization Violation')), { what: 'the refusal' })
  await writeCredentials('changing', known)
  await waitFor(() => lines.some((line) => line.includes('is back')), { what: 'the connection' })
  await nats.flush()
  await nats.close()
  expect(lines.filter((line) => line.includes('is lost'))).toHaveLength(1)
})

test('a missing or invalid credentials file stops the start', async () => {
  const connect = (credentialsFile: string) => connectNats(server.url, 'test', { credentialsFile })
  await expect(connect('/nowhere/user.creds')).rejects.toThrow('ENOENT')
  const empty = join(testDirectory(), 'empty.creds')
  await writeFile(empty, '')
  await expect(connect(empty)).rejects.toThrow('credentials')
})

test('a credentials file that is being written does no harm', async () => {
  const { lines, logger } = logged()
  const credentialsFile = await writeCredentials('half', known)
  const nats = await connectNats(server.url, 'test', { credentialsFile, logger })
  await writeFile(credentialsFile, '')
  await nats.reconnect()
  await waitFor(() => lines.some((line) => line.includes('is back')), { what: 'the connection' })
  await nats.flush()
  await nats.close()
})

test('of several servers another one is used when the first stops, also when it says nothing any more', async () => {
  const { lines, logger } = logged()
  const servers = [await startNats(), await startNats()] as const
  const proxies = await Promise.all(servers.map(({ url }) => startTcpProxy(url)))
  const hosts = proxies.map(({ url }) => new URL(url).host).join(',')
  const nats = await connectNats(`nats://${hosts}`, 'test', { logger })
  const isBack = (times: number) => () => lines.filter((line) => line.includes('is back')).length === times
  const used = () => proxies.find((proxy) => proxy.connections() > 0)
  const first = used()
  first?.freeze()
  await waitFor(isBack(1), { what: 'the other server', timeoutMs: 20_000 })
  first?.thaw()
  const second = proxies.indexOf(proxies.find((proxy) => proxy !== first) as (typeof proxies)[0])
  await servers[second]?.stop()
  await waitFor(isBack(2), { what: 'the first server again' })
  await nats.flush()
  await nats.close()
  await Promise.all([...proxies.map((proxy) => proxy.close()), ...servers.map((one) => one.stop())])
})
