import { type Measurement, metrics } from '@skyfolio/kit'
import type { Database } from '../database.ts'

const STATES = ['open', 'completing'] as const

const sessions = metrics.gauge('skyfolio_upload_sessions', 'Upload sessions that have not ended', ['state'])
const staged = metrics.gauge('skyfolio_upload_staged_bytes', 'Size of the files of upload sessions that have not ended')

const overdue = metrics.gauge(
  'skyfolio_upload_sessions_overdue',
  'Upload sessions that expired an hour ago and should have been swept',
)

/** Measures the sessions that have not ended, whose limits per user bound how many there are, and what the sweep has left. */
export function measureSessions(db: Database): void {
  metrics.onScrape('upload sessions', async (): Promise<Measurement[]> => {
    const rows = await db.$queryRaw<{ state: string; count: number; bytes: number }[]>`
      SELECT state, count(*)::int AS count, sum(size)::float8 AS bytes FROM upload_sessions
      WHERE state IN ('open', 'completing') GROUP BY state`
    const [late] = await db.$queryRaw<{ count: number }[]>`
      SELECT count(*)::int AS count FROM upload_sessions WHERE expires_at < now() - interval '1 hour'`
    const countOf = (state: string) => rows.find((row) => row.state === state)?.count ?? 0
    return [
      ...STATES.map((state): Measurement => [sessions, countOf(state), { state }]),
      [staged, rows.reduce((sum, { bytes }) => sum + bytes, 0)],
      [overdue, late?.count ?? 0],
    ]
  })
}
