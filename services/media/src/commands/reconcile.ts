import {
  createLogger,
  databaseSettings,
  loadConfig,
  objectStoreSettings,
  openObjectStore,
  openPool,
} from '@skyfolio/kit'
import { sweepSettings } from '../config.ts'
import { openDatabase } from '../database.ts'
import { type Reconciled, reconcile } from '../files/reconcile.ts'

// `npm run media:reconcile [-- --dry-run]`: what the worker does by schedule, now.

function summary(found: Reconciled, dryRun: boolean): string {
  const does = (done: string) => (dryRun ? 'nothing is changed' : done)
  const ids = found.lostIds.join(', ') + (found.lost > found.lostIds.length ? ', …' : '')
  const lines: [number, string, string][] = [
    [found.lost, `photos lack their original (ids ${ids})`, does('ready ones are marked as failed')],
    [found.adopted, 'photos have their lost original again', does('they are processed again')],
    [found.missingRenditions, 'renditions are missing', does('their photos are processed again')],
    [found.orphans, 'objects are old and belong to no photo', does('the worker removes them in a minute')],
    [found.young, 'objects belong to no photo yet', 'they may be uploads in progress and stay'],
    [found.incompleteUploads, 'uploads never ended', does('they are ended')],
  ]
  const told = lines.filter(([count]) => count > 0).map(([count, what, done]) => `${count} ${what}: ${done}.`)
  const all = `${found.photos} photos and ${found.objects} objects are compared.`
  return [all, ...(told.length > 0 ? told : ['All is in order.']), ''].join('\n')
}

const unknown = process.argv.slice(2).filter((argument) => argument !== '--dry-run')
if (unknown.length > 0) {
  process.stderr.write('Usage: npm run media:reconcile [-- --dry-run]\n')
  process.exit(2)
}
const dryRun = process.argv.includes('--dry-run')
try {
  const config = loadConfig({ ...databaseSettings, ...objectStoreSettings, ...sweepSettings }, process.env)
  const pool = openPool(config.databaseUrl)
  const store = await openObjectStore(config)
  const deps = { db: openDatabase(pool), store, logger: createLogger('reconcile', 'silent') }
  const found = await reconcile(deps, { orphanAgeMs: config.orphanMinutes * 60_000, dryRun })
  await pool.end()
  process.stdout.write(summary(found, dryRun))
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exit(1)
}
