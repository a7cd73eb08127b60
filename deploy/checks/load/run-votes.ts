// `npm run check -- load:votes --scenario steady --rate 100 --seconds 10`: k6 votes through the gateway of a system of its own,
// or of the one at BASE_URL (another machine's with ALLOW_REMOTE=yes), in folders made for it, or in those of CODES, whose
// owner LOAD_ACCOUNT and LOAD_PASSWORD name. Afterwards each voter's last acknowledged choice is compared with what the
// server says, and the standings with a recount; in a system of its own also straight from the database. Ends with code 1
// when a threshold is crossed or a vote is lost.
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createLoadTestToken } from '../../../gateway/src/limits/load-test-token.ts'
import { type LaunchedSystem, launchSystem } from '../../local/launch.ts'
import { openSession, type Session } from '../../local/session.ts'
import { byBallot } from './ballots.ts'
import { closeWithReport, removeReport, runK6, type Summary, thresholdsOf } from './k6.ts'
import { seedVotes } from './seed.ts'
import { loadTarget } from './target.ts'
import { describeVotes } from './vote-figures.ts'
import { openVoteRows } from './vote-rows.ts'
import { checkShares, checkStandings, readVotes } from './votes-check.ts'

const { values: flags } = parseArgs({
  options: {
    scenario: { type: 'string', default: 'steady' },
    seconds: { type: 'string', default: '60' },
    rate: { type: 'string', default: '100' },
    folders: { type: 'string', default: '3' },
    photos: { type: 'string', default: '12' },
    // Of more ballots than this, so many are drawn and asked for through the share page.
    compare: { type: 'string', default: '2000' },
  },
})
const seconds = Number(flags.seconds)
const loadTestKey = process.env.LOAD_TEST_KEY ?? randomBytes(32).toString('base64url')
const noisy = flags.scenario === 'noisy'

/** What a system of our own is told: every voter of `noisy` has an address of its own, the others show a token. */
const ownSettings = {
  LOAD_TEST_KEY: loadTestKey,
  LOAD_TEST_VOTES_PER_MINUTE: '1000000',
  ...(noisy && { TRUSTED_PROXIES: '127.0.0.1' }),
}

interface Place {
  /** Share codes by folder. */
  codes: Map<number, string>
  /** Whom the folders belong to; null when nobody was named. */
  owner: Session | null
}

async function openPlace(baseUrl: string): Promise<Place> {
  const { CODES, LOAD_ACCOUNT, LOAD_PASSWORD } = process.env
  if (!CODES) {
    const account = { username: `votes-${randomBytes(4).toString('hex')}`, password: randomBytes(12).toString('hex') }
    const size = { folders: Number(flags.folders), photos: Number(flags.photos) }
    const { owner, folders } = await seedVotes(baseUrl, account, size)
    return { owner, codes: new Map(folders.map(({ id, code }) => [id, code])) }
  }
  const codes = new Map<number, string>()
  for (const code of CODES.split(',')) {
    const answer = await fetch(`${baseUrl}/api/folders/share/${code}`)
    codes.set(((await answer.json()) as { id: number }).id, code)
  }
  const named = LOAD_ACCOUNT && LOAD_PASSWORD
  return {
    codes,
    owner: named ? await openSession(baseUrl, { username: LOAD_ACCOUNT, password: LOAD_PASSWORD }) : null,
  }
}

/** Who is who to the limits: for `noisy` the addresses of proxied visitors, else one token, where there is a key for it. */
function witness(own: boolean): Record<string, string> {
  if (noisy && own) return { FORWARD: 'yes' }
  if (!own && !process.env.LOAD_TEST_KEY) return {}
  const expires = Math.floor(Date.now() / 1000) + seconds + 600
  return { LOAD_TEST_TOKEN: createLoadTestToken(loadTestKey, expires) }
}

async function load(baseUrl: string, folder: string, system: LaunchedSystem | null): Promise<Record<string, boolean>> {
  const { codes, owner } = await openPlace(baseUrl)
  const [output, summaryFile] = [join(folder, 'votes'), join(folder, 'summary.json')]
  await runK6('deploy/checks/load/vote.ts', output, seconds, {
    BASE_URL: baseUrl,
    CODES: [...codes.values()].join(','),
    SCENARIO: flags.scenario,
    SECONDS: flags.seconds,
    RATE: flags.rate,
    RUN: `load-${randomBytes(4).toString('hex')}`,
    SUMMARY: summaryFile,
    ...witness(system !== null),
  })
  const votes = readVotes(await readFile(output, 'utf8'))
  const { metrics } = JSON.parse(await readFile(summaryFile, 'utf8')) as Summary
  console.log(describeVotes(votes, metrics, flags.scenario).join('\n'))

  const ballots = byBallot(votes)
  const drawn = ballots.toSorted(() => Math.random() - 0.5).slice(0, Number(flags.compare))
  console.log(`${ballots.length} ballots, ${drawn.length} of them asked for through the share page`)
  const troubles: Record<string, string[]> = {
    'every acknowledged last choice is what the share page says': await checkShares(baseUrl, codes, drawn),
  }
  if (owner) {
    const wrong = await Promise.all([...codes.keys()].map((id) => checkStandings(baseUrl, owner, id)))
    troubles["the owner's standings equal a recount of the voters"] = wrong.flat()
  }
  if (system) {
    const rows = openVoteRows(await system.state())
    troubles['every acknowledged last choice is what the database says'] = await rows.wrongBallots(ballots)
    troubles['the tallies equal a recount of the ballots'] = await rows.wrongTallies()
    await rows.close()
  }
  for (const sentence of Object.values(troubles).flat().slice(0, 20)) console.log(sentence)
  const held = Object.entries(troubles).map(([name, wrong]) => [name, wrong.length === 0])
  return { ...thresholdsOf(metrics), ...Object.fromEntries(held) }
}

await removeReport('load-votes')
const folder = await mkdtemp(join(tmpdir(), 'skyfolio-votes-'))
const { BASE_URL, ALLOW_REMOTE } = process.env
let system: LaunchedSystem | null = null
try {
  if (!BASE_URL) system = await launchSystem(folder, ownSettings)
  const baseUrl = loadTarget(system?.url ?? BASE_URL ?? '', ALLOW_REMOTE)
  await closeWithReport('load-votes', await load(baseUrl, folder, system))
} finally {
  await system?.stop()
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}
