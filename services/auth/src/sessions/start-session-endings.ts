import { type Lifetime, metrics, repeat } from '@skyfolio/kit'
import type { Pool } from 'pg'
import type { SessionEndings } from './session-endings.ts'

const EVERY_SECONDS = 1

const oldest = metrics.gauge(
  'skyfolio_session_endings_oldest_seconds',
  'Age of the oldest request to end sessions not yet carried out, or 0',
)

/** Carries out what the API committed and could not carry out, until the worker stops. */
export function startSessionEndings(life: Lifetime, sessionEndings: SessionEndings, pool: Pool): void {
  const stop = repeat('session endings', EVERY_SECONDS, () => sessionEndings.carryOutWaiting(), life.logger)
  life.defer('session endings', stop)
  metrics.onScrape('session endings', async () => {
    const { rows } = await pool.query<{ seconds: number }>(
      'SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 AS seconds FROM session_endings',
    )
    return [[oldest, rows[0]?.seconds ?? 0]]
  })
}
