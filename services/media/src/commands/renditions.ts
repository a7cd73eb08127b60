import { setPriority } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import {
  createLogger,
  databaseSettings,
  loadConfig,
  objectStoreSettings,
  openObjectStore,
  openPool,
} from '@skyfolio/kit'
import { processingSettings } from '../config.ts'
import { openDatabase } from '../database.ts'
import { countLackingSizes } from '../processing/backfill-leases.ts'
import { type BackfillOutcome, createBackfill } from '../processing/backfill-sizes.ts'
import { configureSharp } from '../renditions/render-image.ts'
import { createRenderLimiter } from '../renditions/render-limiter.ts'
import { createSizesRenderer } from '../renditions/sizes-renderer.ts'

// `npm run ops -- media:renditions [--concurrency <n>]`: adds the sizes that photos of earlier releases lack, now and to all
// of them. It may run beside the workers, be interrupted, and be repeated.

const USAGE = 'Usage: npm run ops -- media:renditions [--concurrency <1 to 64>]\n'
const PROGRESS_SECONDS = 10
/** A photo in another process's work, or that is tried again later. */
const WAIT_MS = 1_000
const MAX_REPORTED_IDS = 100
const ALL = 2 ** 31 - 1
const INTERRUPTED = 130
const LOW_PRIORITY = 10

type Tally = Record<BackfillOutcome, number> & { unreadableIds: number[] }

function parseConcurrency(): number | undefined {
  try {
    const { values } = parseArgs({ options: { concurrency: { type: 'string' } } })
    if (values.concurrency === undefined) return undefined
    const concurrency = Number(values.concurrency)
    if (Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= 64) return concurrency
  } catch {}
  process.stderr.write(USAGE)
  process.exit(2)
}

const print = (line: string) => process.stdout.write(`${line}\n`)
const format = (count: number) => count.toLocaleString('en')
const doneOf = ({ added, unneeded, unreadable }: Tally) => added + unneeded + unreadable

function progressLine(tally: Tally, left: number, seconds: number): string {
  const rate = doneOf(tally) / seconds
  return `${format(doneOf(tally))} photos done, ${format(left)} left, ${rate.toFixed(1)} a second`
}

function summary(tally: Tally, left: number, seconds: number): string {
  const { added, unneeded, unreadable, unreadableIds } = tally
  const ids = unreadableIds.join(', ') + (unreadable > unreadableIds.length ? ', …' : '')
  const without =
    unreadable > 0 ? `, ${format(unreadable)} stay without since their preview cannot be read (${ids})` : ''
  const counts = `${format(added)} photos got their sizes, ${format(unneeded)} need none${without}`
  return `${counts}; ${format(left)} are left. ${Math.round(seconds)} seconds.`
}

const requested = parseConcurrency()
const stopping = new AbortController()
const { signal } = stopping
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    // The second time at once: leases end by themselves.
    if (signal.aborted) process.exit(INTERRUPTED)
    stopping.abort()
  })
}
const pause = (ms: number) => delay(ms, undefined, { signal }).catch(() => {})

async function run(): Promise<number> {
  const config = loadConfig({ ...databaseSettings, ...objectStoreSettings, ...processingSettings }, process.env)
  const concurrency = requested ?? config.concurrency
  configureSharp()
  // New photos come first where the processors are shared with the worker.
  setPriority(LOW_PRIORITY)
  const pool = openPool(config.databaseUrl)
  const db = openDatabase(pool)
  const addNext = createBackfill(
    {
      db,
      store: await openObjectStore(config),
      sizesRenderer: createSizesRenderer(createRenderLimiter(concurrency)),
      logger: createLogger('renditions', 'silent'),
      leaseSeconds: config.leaseSeconds,
      maxAttempts: config.attempts,
      // The relays of the running processes publish the events.
      afterCommit() {},
    },
    { onlyWhenIdle: false },
  )
  const tally: Tally = { added: 0, unneeded: 0, unreadable: 0, lost: 0, error: 0, unreadableIds: [] }
  const started = performance.now()
  const seconds = () => (performance.now() - started) / 1000

  async function addAll(): Promise<void> {
    while (!signal.aborted) {
      const result = await addNext()
      if (result) {
        tally[result.outcome] += 1
        const isReported = result.outcome === 'unreadable' && tally.unreadableIds.length < MAX_REPORTED_IDS
        if (isReported) tally.unreadableIds.push(result.photoId)
      } else if ((await countLackingSizes(db, 1)) === 0) return
      else await pause(WAIT_MS)
    }
  }

  print(`${format(await countLackingSizes(db, ALL))} photos lack sizes; ${concurrency} are done at the same time.`)
  const reporting = setInterval(async () => {
    const left = await countLackingSizes(db, ALL).catch(() => null)
    if (left !== null) print(progressLine(tally, left, seconds()))
  }, PROGRESS_SECONDS * 1000)
  // After a failure the others finish the photo in work.
  const addUntilFailure = () =>
    addAll().catch((error) => {
      stopping.abort()
      throw error
    })
  const ends = await Promise.allSettled(Array.from({ length: concurrency }, addUntilFailure))
  clearInterval(reporting)
  const failure = ends.find((end) => end.status === 'rejected')
  if (failure) throw failure.reason
  const left = await countLackingSizes(db, ALL)
  print(summary(tally, left, seconds()))
  await pool.end()
  return left > 0 ? INTERRUPTED : 0
}

try {
  process.exitCode = await run()
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exit(1)
}
