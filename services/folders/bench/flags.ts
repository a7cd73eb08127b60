// How often each flag hits scripts, and errs on people: seeded models of both (flag-scenarios.ts), flagged by the service's
// own rules in a private PostgreSQL. Prints Markdown. `npm run check -- simulate:flags`; takes about a minute. `--runs` and
// `--seed` change the number of runs and the random numbers.

import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openPool } from '@skyfolio/kit'
import { migrate } from '@skyfolio/kit/migrations'
import { startPostgres } from '@skyfolio/testkit/servers'
import { FLAG_RULES } from '../src/voting/flag-updater.ts'
import { FLAGS } from '../src/voting/voters.ts'
import { type FlagRates, flagRates } from './flag-rates.ts'
import { PEOPLE, SCRIPTS } from './flag-scenarios.ts'

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '20' }, seed: { type: 'string', default: '16' } },
})
const folder = await mkdtemp(join(tmpdir(), 'skyfolio-flags-'))
// PostgreSQL runs as another user if this process is root's.
await chmod(folder, 0o755)
const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), password: 'flags', durable: false })
const databaseUrl = `${postgres.url}/folders`
await migrate(databaseUrl, fileURLToPath(new URL('../prisma/migrations', import.meta.url)))
const pool = openPool(databaseUrl)
try {
  const options = { pool, rules: FLAG_RULES, runs: Number(values.runs), seed: Number(values.seed) }
  const rates = await flagRates([...PEOPLE, ...SCRIPTS], options)
  const rows = (kind: 'people' | 'scripts') =>
    rates.flatMap(({ name, [kind]: rate }) => (rate ? [tableRow(name, rate)] : []))
  console.log([...head('people'), ...rows('people'), '', ...head('scripts'), ...rows('scripts')].join('\n'))
} finally {
  await pool.end()
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}

function head(who: string): string[] {
  return [`| ${who} | ${FLAGS.join(' | ')} | any |`, `| --- |${' ---: |'.repeat(FLAGS.length + 1)}`]
}

function tableRow(name: string, rates: FlagRates): string {
  return `| ${name} | ${FLAGS.map((flag) => percent(rates[flag])).join(' | ')} | ${percent(rates.any)} |`
}

/** '0' is none at all, and '100 %' all. */
function percent(rate: number): string {
  if (rate === 0) return '0'
  if (rate === 1) return '100 %'
  if (rate < 0.001) return '< 0.1 %'
  return `${(100 * rate).toFixed(rate < 0.1 || rate > 0.99 ? 1 : 0)} %`
}
