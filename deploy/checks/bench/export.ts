import { randomBytes, randomUUID } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { crc32 } from 'node:zlib'
import { openPool } from '@skyfolio/kit'
import { cpuSeconds, MINIO_CREDENTIALS, peakMemory, resetPeakMemory, startMinio } from '@skyfolio/testkit/servers'
import { Client } from 'minio'
import { launchSystem } from '../../local/launch.ts'
import { openSignedInClient } from '../../local/signed-in-client.ts'

/*
 * Downloads an export through gateway and media, and the same originals one after another from MinIO itself, by turns. The
 * photos are random bytes and rows: what is measured is how they are sent.
 */

const { values } = parseArgs({
  options: {
    gigabytes: { type: 'string', default: '2' },
    megabytes: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '3' },
  },
})
const FILE_BYTES = Number(values.megabytes) * 1e6
const FILES = Math.round((Number(values.gigabytes) * 1e9) / FILE_BYTES)
const ROUNDS = Number(values.rounds)
const BUCKET = 'skyfolio'
const MEASURED = ['gateway', 'media'] as const

const directory = await mkdtemp(join(tmpdir(), 'skyfolio-bench-'))
// When root runs this, PostgreSQL runs as another user.
await chmod(directory, 0o755)
const minio = await startMinio({ dataDir: join(directory, 'minio') })
const system = await launchSystem(join(directory, 'data'), {
  OBJECT_STORE: 's3',
  S3_ENDPOINT: minio.url,
  S3_BUCKET: BUCKET,
  S3_ACCESS_KEY: MINIO_CREDENTIALS.accessKey,
  S3_SECRET_KEY: MINIO_CREDENTIALS.secretKey,
})
try {
  await measure()
} finally {
  await system.stop()
  await minio.stop()
  await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}

async function measure(): Promise<void> {
  const { processes, env } = await system.state()
  const pids = Object.fromEntries(
    MEASURED.map((name) => [name, processes.find((process) => process.name === name)?.pid ?? 0]),
  )
  const { cookie } = await openSignedInClient(system.url, { username: 'bench', password: randomUUID() })
  const headers = { cookie, origin: system.url, 'content-type': 'application/json' }
  const { id: userId } = (await (await fetch(`${system.url}/api/user`, { headers })).json()) as { id: number }
  const { port } = new URL(minio.url)
  const store = new Client({ endPoint: '127.0.0.1', port: Number(port), useSSL: false, ...MINIO_CREDENTIALS })
  const keys = await addPhotos(store, env.media?.DATABASE_URL ?? '', userId)
  const { url, size, seconds } = await prepare(headers)
  console.log(`${FILES} photos of ${FILE_BYTES / 1e6} MB; prepared in ${seconds.toFixed(1)} s, ${size} bytes`)

  const ratios: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const direct = await timed(async () => {
      let bytes = 0
      for (const key of keys) bytes += await read(await store.presignedGetObject(BUCKET, key, 3600))
      return bytes
    })
    for (const pid of Object.values(pids)) await resetPeakMemory(pid)
    const before = await Promise.all(Object.values(pids).map((pid) => cpuSeconds(pid)))
    const exported = await timed(() => read(system.url + url, { cookie }))
    const used = await Promise.all(Object.values(pids).map((pid) => cpuSeconds(pid)))
    const memory = await Promise.all(Object.values(pids).map((pid) => peakMemory(pid)))
    ratios.push(exported.rate / direct.rate)
    const each = MEASURED.map((name, index) => {
      const cpu = (used[index] ?? 0) - (before[index] ?? 0)
      return `${name} ${cpu.toFixed(1)} s CPU, at most ${memory[index]?.toFixed(0)} MB`
    })
    const rates = `MinIO ${direct.rate.toFixed(0)} MB/s, export ${exported.rate.toFixed(0)} MB/s`
    console.log(`${rates}, ratio ${ratios.at(-1)?.toFixed(2)}; ${each.join('; ')}`)
  }
  const median = ratios.sort((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? 0
  console.log(`median ratio ${median.toFixed(2)}, to be at least 0.70`)
  process.exitCode = median >= 0.7 ? 0 : 1
}

async function addPhotos(store: Client, databaseUrl: string, userId: number): Promise<string[]> {
  const db = openPool(databaseUrl, { max: 1 })
  const keys: string[] = []
  for (let index = 0; index < FILES; index += 1) {
    const id = randomBytes(16).toString('hex')
    const bytes = randomBytes(FILE_BYTES)
    await store.putObject(BUCKET, `originals/${id}`, bytes)
    await db.query(
      `INSERT INTO photos (user_id, title, filename, original_name, filesize, sha256, status, crc32)
       VALUES ($1, $2, $3, $4, $5, $6, 'ready', $7)`,
      [userId, `Photo ${index}`, `${id}.jpg`, `photo-${index}.jpg`, FILE_BYTES, id, crc32(bytes)],
    )
    keys.push(`originals/${id}`)
  }
  await db.end()
  return keys
}

async function prepare(headers: Record<string, string>): Promise<{ url: string; size: number; seconds: number }> {
  const start = performance.now()
  await fetch(`${system.url}/api/user/export`, { method: 'POST', headers, body: '{}' })
  for (;;) {
    const response = await fetch(`${system.url}/api/user/export`, { headers })
    const found = (await response.json()) as { status: string; url: string; size: number; message: string }
    if (found.status === 'ready') return { ...found, seconds: (performance.now() - start) / 1000 }
    if (found.status !== 'preparing') throw new Error(`the export is ${found.status}: ${found.message}`)
    await delay(250)
  }
}

async function timed(work: () => Promise<number>): Promise<{ rate: number }> {
  const start = performance.now()
  const bytes = await work()
  return { rate: bytes / 1e3 / (performance.now() - start) }
}

async function read(url: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await fetch(url, { headers })
  if (!response.ok || !response.body) throw new Error(`${response.status} of ${url}`)
  let bytes = 0
  for await (const chunk of response.body) bytes += chunk.length
  return bytes
}
