import { setTimeout as delay } from 'node:timers/promises'
import { createLifetime, createLogger, databaseSettings, loadConfig, openPool, redisSettings } from '@skyfolio/kit'
import { type Database, openDatabase } from '../database.ts'
import { createEnqueue, type Enqueue, openQueues } from '../jobs/queues.ts'
import { reprocessPhotos, WRONG_FILE } from '../photos/status.ts'

// `npm run ops -- media:reprocess [--after <id>]`: processes the photos of all users again, after a release that reads or shows more of a file.

/** Photos that wait at a time: a new upload waits for no more of them. */
const BATCH = 20
const POLL_MS = 200

interface Deps {
  db: Database
  enqueue: Enqueue
  /** Is told the number of photos that were processed again, that of all, and the last id. */
  report(done: number, total: number, lastId: number): void
}

/** Not those that another file than the announced one was uploaded for, which would be processed as if it were right. */
const PROCESSED = {
  purpose: { not: 'metadata' },
  OR: [{ status: 'ready' }, { status: 'failed', NOT: { statusMessage: WRONG_FILE.statusMessage } }],
}

/** Processes the photos with ids above `after` again, in the order of their ids and whenever no other photo waits. Returns their number. */
export async function reprocessAll({ db, enqueue, report }: Deps, after = 0): Promise<number> {
  // Failures that are not reported yet would not be any more.
  const unreported = await db.failedUpload.findMany({ select: { photoId: true } })
  const where = (id: number) => ({ ...PROCESSED, id: { gt: id, notIn: unreported.map(({ photoId }) => photoId) } })
  const total = await db.photo.count({ where: where(after) })
  let lastId = after
  let done = 0
  for (;;) {
    await whileProcessing(db)
    const photos = await db.photo.findMany({
      ...{ where: where(lastId), orderBy: { id: 'asc' }, take: BATCH },
      select: { id: true, userId: true },
    })
    const last = photos.at(-1)
    if (!last) return done
    for (const [userId, own] of Map.groupBy(photos, (photo) => photo.userId)) {
      const ids = own.map(({ id }) => id)
      enqueue('photos', await reprocessPhotos(db, ids, userId))
    }
    done += photos.length
    lastId = last.id
    await whileProcessing(db)
    report(done, total, lastId)
  }
}

async function whileProcessing(db: Database): Promise<void> {
  while (await db.photo.findFirst({ where: { status: 'processing' }, select: { id: true } })) await delay(POLL_MS)
}

function readArguments([option, id, ...more]: string[]): number {
  if (option === undefined) return 0
  if (option === '--after' && /^\d{1,10}$/.test(id ?? '') && Number(id) < 2 ** 31 && more.length === 0)
    return Number(id)
  process.stderr.write('Usage: npm run ops -- media:reprocess [--after <id>]\n')
  process.exit(2)
}

async function main(after: number): Promise<void> {
  const config = loadConfig({ ...databaseSettings, ...redisSettings }, process.env)
  const life = createLifetime(createLogger('media-reprocess', 'warn'))
  const pool = openPool(config.databaseUrl, { max: 2 })
  life.defer('database', () => pool.end())
  try {
    const db = openDatabase(pool)
    const enqueue = createEnqueue(life, db, openQueues(life, config.redisUrl))
    const report = (done: number, total: number, lastId: number) =>
      process.stdout.write(`${done} of ${total} photos processed again, up to id ${lastId}\n`)
    const done = await reprocessAll({ db, enqueue, report }, after)
    process.stdout.write(`All is done: ${done} photos.\n`)
  } finally {
    await life.close()
  }
}

if (import.meta.main) await main(readArguments(process.argv.slice(2)))
