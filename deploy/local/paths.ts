import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The checkout. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '../..')

/** Everything that the local runner stores: server data, secrets, state. `SKYFOLIO_DATA` moves it. */
export const dataDir = process.env.SKYFOLIO_DATA ?? join(root, '.data')

/** The JSON report of a run of tests, loads or attacks. */
export const reportPath = (name: string) => join(root, '.data/test-results', `${name}.json`)
