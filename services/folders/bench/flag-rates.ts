import { createLogger, networkOf, siteOf } from '@skyfolio/kit'
import type { Pool } from 'pg'
import { createFlagUpdater, type FlagRules } from '../src/voting/flag-updater.ts'
import { createVoterIdentity } from '../src/voting/voter-identity.ts'
import { FLAG_COLUMNS, FLAGS, type Flag, HAS_FLAG } from '../src/voting/voters.ts'
import { type ModelBallot, type Scenario, seededRandom } from './flag-scenarios.ts'

/** The part of ballots that have a flag, or any. */
export type FlagRates = Record<Flag | 'any', number> & { ballots: number }

export interface ScenarioRates {
  name: string
  /** Null: there are none in the scenario. */
  people: FlagRates | null
  scripts: FlagRates | null
}

interface SimulationDeps {
  /** A migrated database whose ballots nobody else needs. */
  pool: Pool
  rules: FlagRules
  runs: number
  seed: number
}

const identity = createVoterIdentity(['a-key-for-the-voters-of-the-simulation'], { secure: false })

const INSERT = `
INSERT INTO ballots (folder_id, voter, first, second, third, last_photo_id, last_rank, address, site, token, page_unseen, token_mismatch, created_at)
SELECT $1, voter, first, second, third, 1, 0, address, site, token, page_unseen, token_mismatch, timestamptz '2026-07-01 12:00Z' + make_interval(secs => seconds)
FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::boolean[], $7::boolean[], $8::float8[], $9::integer[], $10::integer[], $11::integer[])
  AS given (voter, address, site, token, page_unseen, token_mismatch, seconds, first, second, third)`

const COUNT = `
SELECT voter = ANY ($2::uuid[]) AS "isScript", count(*)::integer AS ballots, count(*) FILTER (WHERE ${HAS_FLAG})::integer AS "any",
       ${FLAGS.map((flag) => `count(*) FILTER (WHERE ${FLAG_COLUMNS[flag]})::integer AS "${flag}"`).join(', ')}
FROM ballots WHERE folder_id = $1 GROUP BY 1`

/** Plays scenarios, each `runs` times in folders of their own, and lets the service's own rules flag the ballots. */
export async function flagRates(scenarios: Scenario[], deps: SimulationDeps): Promise<ScenarioRates[]> {
  const random = seededRandom(deps.seed)
  const rates: ScenarioRates[] = []
  let folderId = 0
  for (const { name, ballots } of scenarios) {
    const counts = { people: emptyRates(), scripts: emptyRates() }
    for (let run = 0; run < deps.runs; run += 1) {
      folderId += 1
      const scriptVoters = await store(deps.pool, folderId, ballots(random))
      await updateFlags(deps, folderId)
      const { rows } = await deps.pool.query<FlagRates & { isScript: boolean }>(COUNT, [folderId, scriptVoters])
      for (const row of rows) add(row.isScript ? counts.scripts : counts.people, row)
    }
    rates.push({ name, people: toRates(counts.people), scripts: toRates(counts.scripts) })
  }
  return rates
}

/** Returns the voters that are scripts. */
async function store(pool: Pool, folderId: number, ballots: ModelBallot[]): Promise<string[]> {
  const voterOf = ({ fingerprint }: ModelBallot) => identity.hash('fingerprint', folderId, fingerprint)
  await pool.query(INSERT, [
    folderId,
    ballots.map(voterOf),
    ballots.map(({ address }) => identity.hash('address', folderId, networkOf(address))),
    ballots.map(({ address }) => (address.includes(':') ? identity.hash('site', folderId, siteOf(address)) : null)),
    ballots.map(({ token }) => identity.hash('token', folderId, token)),
    ballots.map(({ pageUnseen }) => pageUnseen),
    ballots.map(({ tokenMismatch }) => tokenMismatch),
    ballots.map(({ seconds }) => seconds),
    ...[0, 1, 2].map((place) => ballots.map(({ choices }) => choices[place] ?? null)),
  ])
  return ballots.filter(({ isScript }) => isScript).map(voterOf)
}

async function updateFlags({ pool, rules }: SimulationDeps, folderId: number): Promise<void> {
  const logger = createLogger('folders', 'warn')
  const updater = createFlagUpdater({ pool, logger, rules, onChange: () => undefined })
  await updater.refresh({ id: folderId, userId: 1 })
  // Large folders are updated in the background.
  await updater.stop()
}

function emptyRates(): FlagRates {
  return Object.fromEntries(['ballots', 'any', ...FLAGS].map((name) => [name, 0])) as FlagRates
}

function add(sum: FlagRates, more: FlagRates): void {
  for (const name of Object.keys(sum) as (keyof FlagRates)[]) sum[name] += more[name]
}

function toRates(counts: FlagRates): FlagRates | null {
  if (counts.ballots === 0) return null
  const rates = Object.entries(counts).map(([name, count]) => [name, count / counts.ballots])
  return { ...(Object.fromEntries(rates) as FlagRates), ballots: counts.ballots }
}
