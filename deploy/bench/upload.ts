// `npm run bench:upload [-- --files 40]`: photos of 4 to 25 MB through the gateway of a whole system on MinIO, beside
// the same bytes put straight into that MinIO, in alternating rounds; then the memory of gateway and media while files
// of 4 MB and of 150 MB go through. Prints Markdown. On Linux, on this machine's loopback only.
import { randomUUID } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { cpuSeconds, forgetPeakMemory, MINIO_ACCESS, peakMemory, startMinio } from '@skyfolio/kit/servers'
import { Client } from 'minio'
import { sizeOf } from '../load/files.ts'
import { launchSystem } from '../local/launch.ts'
import { openSession } from '../local/session.ts'
import { fresh, freshTiff, pictureOf } from './pictures.ts'
import { CONNECTIONS, put, timed, upload } from './send.ts'

const { values: flags } = parseArgs({
  options: { files: { type: 'string', default: '200' }, large: { type: 'string', default: '8' } },
})
const FILES = Number(flags.files)
const LARGE_FILES = Number(flags.large)
const ROUNDS = 4
const PICTURE_BYTES = [4.2e6, 8e6, 12e6, 16e6, 20e6, 24.5e6]
const BUCKET = 'skyfolio'
const DIRECT_BUCKET = 'direct'
const PARTS = ['gateway', 'media', 'worker', 'postgres'] as const

type Cpu = Record<string, number>

const pictures = await Promise.all(PICTURE_BYTES.map(pictureOf))
const folder = await mkdtemp(join(tmpdir(), 'skyfolio-bench-'))
await chmod(folder, 0o755)
const minio = await startMinio({ dataDir: join(folder, 'minio') })
const system = await launchSystem(join(folder, 'data'), {
  OBJECT_STORE: 's3',
  S3_ENDPOINT: minio.url,
  S3_BUCKET: BUCKET,
  S3_ACCESS_KEY: MINIO_ACCESS.accessKey,
  S3_SECRET_KEY: MINIO_ACCESS.secretKey,
})
try {
  await bench()
} finally {
  await system.stop()
  await minio.stop()
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}

async function bench(): Promise<void> {
  const { processes, env } = await system.state()
  const pids: Record<string, number> = { minio: minio.pid }
  for (const part of PARTS) pids[part] = processes.find(({ name }) => name === part)?.pid ?? 0
  const { cookie } = await openSession(system.url, { username: 'bench', password: randomUUID() })
  const metrics = `http://127.0.0.1:${env.worker?.OPS_PORT}/metrics`

  const store = new Client({
    endPoint: '127.0.0.1',
    port: Number(new URL(minio.url).port),
    useSSL: false,
    ...MINIO_ACCESS,
  })
  await store.makeBucket(DIRECT_BUCKET)
  const through = (file: Uint8Array[]) => upload(system.url, cookie, file)
  const direct = async (file: Uint8Array[]) =>
    put(await store.presignedPutObject(DIRECT_BUCKET, randomUUID(), 3600), file)

  /** CPU seconds of each part since it was asked first. */
  async function readCpu(): Promise<Cpu> {
    const entries = Object.entries(pids).map(
      async ([name, pid]) => [name, (await cpuSeconds(pid, { children: name === 'postgres' })) ?? 0] as const,
    )
    return {
      ...Object.fromEntries(await Promise.all(entries)),
      client: process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6,
    }
  }

  /** Seconds until every photo is processed. */
  async function processed(): Promise<number> {
    const begun = performance.now()
    for (;;) {
      const waiting = /^media_photos_waiting (\d+)$/m.exec(await (await fetch(metrics)).text())?.[1]
      if (waiting === undefined) throw new Error('the worker does not tell how many photos wait')
      if (waiting === '0') return (performance.now() - begun) / 1000
      await delay(250)
    }
  }

  /** Alternates gateway and store; between them all photos are processed, unless the worker is held. */
  async function rounds(held: boolean) {
    const total = { bytes: 0, through: 0, direct: 0, processing: 0, cpu: {} as Cpu }
    for (let round = 0; round < ROUNDS; round += 1) {
      const files = Array.from({ length: Math.ceil(FILES / ROUNDS) }, (_, index) =>
        fresh(pictures[(index + round) % pictures.length] as Buffer),
      )
      total.bytes += files.reduce((sum, file) => sum + sizeOf(file), 0)
      const before = await readCpu()
      const seconds = await timed(files, through)
      const after = await readCpu()
      total.through += seconds
      for (const [name, value] of Object.entries(after)) {
        total.cpu[name] = (total.cpu[name] ?? 0) + value - (before[name] ?? 0)
      }
      if (!held) total.processing += seconds + (await processed())
      total.direct += await timed(files, direct)
    }
    return total
  }

  async function peaks(files: Uint8Array[][]): Promise<{ gateway: number; media: number }> {
    const { gateway = 0, media = 0 } = pids
    await forgetPeakMemory(gateway)
    await forgetPeakMemory(media)
    await timed(files, through)
    return { gateway: await peakMemory(gateway), media: await peakMemory(media) }
  }

  await timed(pictures.map(fresh), through)
  await processed()
  process.kill(pids.worker ?? 0, 'SIGSTOP')
  const alone = await rounds(true)
  process.kill(pids.worker ?? 0, 'SIGCONT')
  await processed()
  const shipped = await rounds(false)
  const small = await peaks(Array.from({ length: 40 }, () => fresh(pictures[0] as Buffer)))
  const large = await peaks(Array.from({ length: LARGE_FILES }, () => freshTiff(25)))

  const speed = (bytes: number, seconds: number) => `${(bytes / 1e6 / seconds).toFixed(0)}`
  const row = (what: string, { bytes, ...seconds }: typeof alone) =>
    `| ${what} | ${speed(bytes, seconds.through)} | ${speed(bytes, seconds.direct)} | ${(seconds.direct / seconds.through).toFixed(2)} |`
  const cost = ({ cpu, bytes }: typeof alone) =>
    Object.entries(cpu)
      .map(([name, seconds]) => `${name} ${((seconds * 1e9) / bytes).toFixed(2)}`)
      .join(', ')
  const memory = (part: 'gateway' | 'media') =>
    `| ${part} | ${small[part].toFixed(0)} | ${large[part].toFixed(0)} | ${(large[part] - small[part]).toFixed(0)} |`
  const sizes = pictures.map(({ length }) => length / 1e6)
  console.log(`${FILES} JPEGs of ${Math.min(...sizes).toFixed(1)} to ${Math.max(...sizes).toFixed(1)} MB, ${CONNECTIONS} at the same time, ${ROUNDS} rounds; ${cpus().length} × ${cpus()[0]?.model.trim()}

| upload | through the gateway, MB/s | straight into MinIO, MB/s | ratio (budget 0.6) |
| --- | ---: | ---: | ---: |
${row('while processing rests', alone)}
${row('as shipped: the worker makes renditions meanwhile', shipped)}

CPU seconds for a GB through the gateway, processing resting: ${cost(alone)}; as shipped: ${cost(shipped)}.
As shipped all photos of a round were processed ${(shipped.processing / ROUNDS).toFixed(1)} s after its begin: ${(FILES / shipped.processing).toFixed(1)} photos a second, ${speed(shipped.bytes, shipped.processing)} MB/s.

| most resident, MB | 4 MB files | ${(sizeOf(freshTiff(25)) / 1e6).toFixed(0)} MB files | more (budget 50) |
| --- | ---: | ---: | ---: |
${memory('gateway')}
${memory('media')}`)
}
