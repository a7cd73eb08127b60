import {
  createLogger,
  databaseSettings,
  loadConfig,
  objectStoreSettings,
  openObjectStore,
  openPool,
} from '@skyfolio/kit'
import { openDatabase } from '../database.ts'
import { ORPHAN_AGE_MS, type ReconcileResult, reconcile } from '../files/reconcile.ts'

// `npm run ops -- media:reconcile [--dry-run]`: runs the worker's reconciliation once.

function summary(result: ReconcileResult, dryRun: boolean): string {
  const unlessDryRun = (action: string) => (dryRun ? 'nothing is changed' : action)
  const ids =
    result.missingOriginalIds.join(', ') + (result.missingOriginals > result.missingOriginalIds.length ? ', …' : '')
  const lines: [number, string, string][] = [
    [
      result.missingOriginals,
      `photos lack their original (ids ${ids})`,
      unlessDryRun('ready ones are marked as failed'),
    ],
    [result.foundOriginals, 'photos have their lost original again', unlessDryRun('they are processed again')],
    [result.missingRenditions, 'renditions are missing', unlessDryRun('their photos are processed again')],
    [
      result.missingPrintImages,
      'print images are missing',
      unlessDryRun('those of photos are rendered again, others are deleted'),
    ],
    [result.orphans, 'objects are old and belong to no photo', unlessDryRun('the worker removes them in a minute')],
    [result.recent, 'objects belong to no photo yet', 'they may be uploads in progress and stay'],
    [result.incompleteUploads, 'uploads were never completed', unlessDryRun('they are aborted')],
  ]
  const findings = lines.filter(([count]) => count > 0).map(([count, what, action]) => `${count} ${what}: ${action}.`)
  const total = `${result.photos} photos and ${result.objects} objects are compared.`
  return [total, ...(findings.length > 0 ? findings : ['All is in order.']), ''].join('\n')
}

const unknown = process.argv.slice(2).filter((argument) => argument !== '--dry-run')
if (unknown.length > 0) {
  process.stderr.write('Usage: npm run ops -- media:reconcile [--dry-run]\n')
  process.exit(2)
}
const dryRun = process.argv.includes('--dry-run')
try {
  const config = loadConfig({ ...databaseSettings, ...objectStoreSettings }, process.env)
  const pool = openPool(config.databaseUrl)
  const store = await openObjectStore(config)
  const deps = { db: openDatabase(pool), store, logger: createLogger('reconcile', 'silent') }
  const result = await reconcile(deps, { orphanAgeMs: ORPHAN_AGE_MS, dryRun })
  await pool.end()
  process.stdout.write(summary(result, dryRun))
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exit(1)
}
