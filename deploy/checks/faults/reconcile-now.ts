import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openPool } from '@skyfolio/kit/database'
import { root } from '../../local/paths.ts'
import type { RuntimeState } from '../../local/runtime-file.ts'

const run = promisify(execFile)

/** Objects that belong to nothing are removed after six hours, uploads at the store aborted after a day. */
const TOMORROW = 'data:text/javascript,const now=Date.now;Date.now=()=>now()+25*3600e3'

/**
 * Compares object store and database as `npm run ops -- media:reconcile` does, regardless of the age of objects and uploads, since
 * the uploads have ended. The removals, otherwise delayed by a minute, become due at once; the worker executes them.
 */
export async function reconcileNow({ env }: RuntimeState): Promise<string> {
  const worker = env['media-worker'] ?? {}
  const command = join(root, 'services/media/src/commands/reconcile.ts')
  const { stdout } = await run(process.execPath, ['--import', TOMORROW, command], {
    env: { ...process.env, ...worker },
  })
  const pool = openPool(worker.DATABASE_URL ?? '', { max: 1 })
  await pool.query('UPDATE object_removals SET not_before = now()')
  await pool.end()
  return stdout.trim()
}
