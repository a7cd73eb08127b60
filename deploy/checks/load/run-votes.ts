// `npm run check -- load:votes --scenario steady --rate 100 --seconds 10`: k6 votes through the gateway of a system that
// it starts, or of the one at BASE_URL (on another machine with ALLOW_REMOTE=yes), in new folders, or in those of CODES,
// whose owner is LOAD_ACCOUNT with LOAD_PASSWORD. Afterwards each voter's last acknowledged choice is compared with the
// share page, and the standings with a recount; in its own system also with the database. Exits with code 1 when a
// threshold is crossed or a vote is lost.
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createLoadTestToken } from '../../../gateway/src/limits/load-test-token.ts'
import { type LaunchedSystem, launchSystem } from '../../local/launch.ts'
import { openSignedInClient, type SignedInClient } from '../../local/signed-in-client.ts'
import { readVotes } from './check-votes.ts'
import { readThresholds, removeReport, reportChecks, runK6, type Summary } from './run-k6.ts'
import { seedFolders } from './seed-folders.ts'
import { checkTarget } from './target.ts'
import { verifyVotes } from './verify-votes.ts'
import { describeVotes } from './vote-figures.ts'

const { values: flags } = parseArgs({
  options: {
    scenario: { type: 'string', default: 'steady' },
    seconds: { type: 'string', default: '60' },
    rate: { type: 'string', default: '100' },
    folders: { type: 'string', default: '3' },
    photos: { type: 'string', default: '12' },
    // Size of the random sample of ballots that is compared with the share page.
    compare: { type: 'string', default: '2000' },
  },
})
const seconds = Number(flags.seconds)
const loadTestKey = process.env.LOAD_TEST_KEY ?? randomBytes(32).toString('base64url')
const noisy = flags.scenario === 'noisy'

/** Settings of a started system: every voter of `noisy` has an address of its own, the others send a load test token. */
const SYSTEM_SETTINGS = {
  LOAD_TEST_KEY: loadTestKey,
  ...(noisy && { TRUSTED_PROXIES: '127.0.0.1' }),
}

interface VoteTarget {
  /** Share codes by folder. */
  codes: Map<number, string>
  /** The owner of the folders; null when none was named. */
  owner: SignedInClient | null
}

async function prepareFolders(baseUrl: string): Promise<VoteTarget> {
  const { CODES, LOAD_ACCOUNT, LOAD_PASSWORD } = process.env
  if (!CODES) {
    const account = { username: `votes-${randomBytes(4).toString('hex')}`, password: randomBytes(12).toString('hex') }
    const size = { folders: Number(flags.folders), photos: Number(flags.photos) }
    const { owner, folders } = await seedFolders(baseUrl, account, size)
    return { owner, codes: new Map(folders.map(({ id, code }) => [id, code])) }
  }
  const codes = new Map<number, string>()
  for (const code of CODES.split(',')) {
    const response = await fetch(`${baseUrl}/api/folders/share/${code}`)
    codes.set(((await response.json()) as { id: number }).id, code)
  }
  const named = LOAD_ACCOUNT && LOAD_PASSWORD
  return {
    codes,
    owner: named ? await openSignedInClient(baseUrl, { username: LOAD_ACCOUNT, password: LOAD_PASSWORD }) : null,
  }
}

/** How voters appear to the rate limits: in `noisy` as addresses behind a proxy, else with one token, if there is a key. */
function limiterSettings(ownSystem: boolean): Record<string, string> {
  if (noisy && ownSystem) return { FORWARD: 'yes' }
  if (!ownSystem && !process.env.LOAD_TEST_KEY) return {}
  const expires = Math.floor(Date.now() / 1000) + seconds + 600
  return { LOAD_TEST_TOKEN: createLoadTestToken(loadTestKey, expires) }
}

async function load(baseUrl: string, folder: string, system: LaunchedSystem | null): Promise<Record<string, boolean>> {
  const { codes, owner } = await prepareFolders(baseUrl)
  const [output, summaryFile] = [join(folder, 'votes'), join(folder, 'summary.json')]
  await runK6('deploy/checks/load/k6-vote.ts', output, seconds, {
    BASE_URL: baseUrl,
    CODES: [...codes.values()].join(','),
    SCENARIO: flags.scenario,
    SECONDS: flags.seconds,
    RATE: flags.rate,
    RUN: `load-${randomBytes(4).toString('hex')}`,
    SUMMARY: summaryFile,
    ...limiterSettings(system !== null),
  })
  const votes = readVotes(await readFile(output, 'utf8'))
  const { metrics } = JSON.parse(await readFile(summaryFile, 'utf8')) as Summary
  console.log(describeVotes(votes, metrics, flags.scenario).join('\n'))

  const target = { baseUrl, codes, owner, system, compare: Number(flags.compare) }
  return { ...readThresholds(metrics), ...(await verifyVotes(target, votes)) }
}

await removeReport('load-votes')
const folder = await mkdtemp(join(tmpdir(), 'skyfolio-votes-'))
const { BASE_URL, ALLOW_REMOTE } = process.env
let system: LaunchedSystem | null = null
try {
  if (!BASE_URL) system = await launchSystem(folder, SYSTEM_SETTINGS)
  const baseUrl = checkTarget(system?.url ?? BASE_URL ?? '', ALLOW_REMOTE)
  await reportChecks('load-votes', await load(baseUrl, folder, system))
} finally {
  await system?.stop()
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}
