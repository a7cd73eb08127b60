import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { connectNats, openRedis } from '@skyfolio/kit'
import { type FixtureProcess, runFixture, testDirectory, waitFor } from '@skyfolio/testkit'
import { freePort, startNats, startPostgres, startRedis } from '@skyfolio/testkit/servers'
import pg from 'pg'
import { beforeEach, describe, expect, test } from 'vitest'

let folder: string

beforeEach(async () => {
  folder = join(testDirectory(), `servers-${randomUUID()}`)
  await mkdir(folder)
})

const isRunning = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function query(url: string, sql: string) {
  const client = new pg.Client({ connectionString: `${url}/postgres` })
  await client.connect()
  const { rows } = await client.query(sql)
  await client.end()
  return rows
}

describe.skipIf(process.env.SKYFOLIO_RUNTIME === 'docker')('private servers', () => {
  test('PostgreSQL keeps its data over a kill, requires its password, and uses the given port', async () => {
    const options = { dataDir: join(folder, 'postgres'), port: await freePort(), password: 'a b/c' }
    const first = await startPostgres(options)
    expect(first.url).toBe(`postgres://postgres:a%20b%2Fc@127.0.0.1:${options.port}`)
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer')
    await first.kill()
    expect(await first.exited).toBe('signal 9')
    const second = await startPostgres(options)
    expect(await query(second.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }])
    await expect(query(second.url.replace('a%20b%2Fc', 'wrong'), 'SELECT 1')).rejects.toThrow('password')
    await second.stop()
    expect(await second.exited).toBe('exit code 0')
  })

  test('PostgreSQL rejects data of a version that is not installed, with a message', async () => {
    const dataDir = join(folder, 'postgres')
    await mkdir(dataDir)
    await writeFile(join(dataDir, 'PG_VERSION'), '9\n')
    await expect(startPostgres({ dataDir, password: 'test' })).rejects.toThrow('made by PostgreSQL 9')
  })

  test('Redis keeps its data over a stop and never evicts', async () => {
    const options = { dataDir: join(folder, 'redis'), port: await freePort() }
    const first = await startRedis(options)
    const redis = openRedis(first.url, 'test')
    await redis.set('key', 'kept')
    expect(await redis.config('GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction'])
    await first.stop()
    const second = await startRedis(options)
    expect(await waitFor(() => redis.get('key'), { what: 'the value' })).toBe('kept')
    redis.disconnect()
    await second.stop()
  })

  test('a port is given out once, and never one that an outgoing connection may take or that browsers refuse', async () => {
    const other = runFixture(new URL('./ports.ts', import.meta.url), [])
    const theirs = (await firstLine(other)).split(' ').map(Number)
    const ours = await Promise.all(Array.from({ length: 200 }, freePort))
    expect(new Set([...theirs, ...ours]).size).toBe(400)
    expect(Math.max(...theirs, ...ours)).toBeLessThan(30_000)
    expect(Math.min(...theirs, ...ours)).toBeGreaterThan(10_080)
    other.process.kill()
    await other.ended
  })

  test('a server that cannot start reports why', async () => {
    const taken = await startNats({ dataDir: join(folder, 'one') })
    const port = Number(new URL(taken.url).port)
    await expect(startRedis({ dataDir: join(folder, 'two'), port })).rejects.toThrow(/Redis did not start[\s\S]*in use/)
    const nats = await connectNats(taken.url, 'test')
    await nats.close()
    await taken.stop()
  })

  test('servers end with the process that started them, even when it is killed', async () => {
    const starter = runFixture(new URL('./starter.ts', import.meta.url), [folder])
    const pids = (await firstLine(starter)).split(' ').slice(1).map(Number)
    expect(pids.map(isRunning)).toEqual([true, true, true])
    starter.process.kill('SIGKILL')
    await waitFor(() => pids.every((pid) => !isRunning(pid)), { what: 'all servers to end', timeoutMs: 20_000 })
  })
})

async function firstLine({ process: { stdout } }: FixtureProcess): Promise<string> {
  const lines = createInterface({ input: stdout as NodeJS.ReadableStream })
  return new Promise((resolve) => lines.once('line', resolve))
}
