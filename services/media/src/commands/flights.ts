import { databaseSettings, loadConfig, openPool } from '@skyfolio/kit'
import { flightSettings } from '../config.ts'
import { readFlightRule, regroupAll } from '../flights/group-flights.ts'

// `npm run ops -- media:flights`: groups all photos into flights again. It may run beside the workers, be interrupted, and be repeated.

const { databaseUrl, ...config } = loadConfig({ ...databaseSettings, ...flightSettings }, process.env)
const rule = readFlightRule(config)
const pool = openPool(databaseUrl, { max: 1 })
try {
  const { rows } = await pool.query<{ user_id: number }>('SELECT user_id FROM user_usage ORDER BY user_id')
  let [photos, moved, flights, skipped] = [0, 0, 0, 0]
  for (const { user_id } of rows) {
    const grouping = await regroupAll(pool, user_id, rule)
    if (!grouping) skipped += 1
    photos += grouping?.examined ?? 0
    moved += grouping?.moved ?? 0
    flights += grouping?.flights ?? 0
  }
  process.stdout.write(
    `${photos} photos examined: ${moved} are in another flight now, ${flights} flights have changed.\n`,
  )
  if (skipped > 0)
    process.stdout.write(`A worker is grouping the photos of ${skipped} users: please repeat the command.\n`)
} finally {
  await pool.end()
}
