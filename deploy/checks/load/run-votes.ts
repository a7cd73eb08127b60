// `npm run check -- load:votes --scenario steady --rate 100 --seconds 10`: k6 votes through the gateway of a system that
// it starts, or of the one at BASE_URL (on another machine with ALLOW_REMOTE=yes), in new folders. Afterwards each voter's
// last acknowledged choice is compared with the share page, and the standings with a recount; in its own system also with
// the database. Exits with code 1 when a threshold is crossed or a vote is lost.
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { createLoadTestToken } from '../../../gateway/src/limits/load-test-token.ts'
import { readVotes, verifyVotes } from './check-votes.ts'
import { countOf, describeTimes, loadWithK6, runLoad } from './run-k6.ts'
import { seedFolders } from './seed-folders.ts'

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

/** A token lifts the limits of votes; elsewhere only with the key of the target. */
function loadTestToken(isOwn: boolean): Record<string, string> {
  if (!isOwn && !process.env.LOAD_TEST_KEY) return {}
  return { LOAD_TEST_TOKEN: createLoadTestToken(loadTestKey, Math.floor(Date.now() / 1000) + seconds + 600) }
}

const settings = { LOAD_TEST_KEY: loadTestKey }
await runLoad('load-votes', settings, async (target) => {
  const account = { username: `votes-${randomBytes(4).toString('hex')}`, password: randomBytes(12).toString('hex') }
  const size = { folders: Number(flags.folders), photos: Number(flags.photos) }
  const seeded = await seedFolders(target.baseUrl, account, size)
  const { lines, metrics, thresholds } = await loadWithK6(target, 'deploy/checks/load/k6-vote.ts', seconds, {
    CODES: seeded.folders.map(({ code }) => code).join(','),
    SCENARIO: flags.scenario,
    SECONDS: flags.seconds,
    RATE: flags.rate,
    RUN: `load-${randomBytes(4).toString('hex')}`,
    ...loadTestToken(target.system !== null),
  })
  const acknowledged = `${countOf(metrics, 'votes_acknowledged')} votes acknowledged`
  const others = `${countOf(metrics, 'votes_limited')} limited, ${countOf(metrics, 'dropped_iterations')} not sent in time`
  console.log(`${flags.scenario}: ${acknowledged}, ${others}; ${describeTimes(metrics, 'http_req_duration')}`)
  return { ...thresholds, ...(await verifyVotes(target, seeded, readVotes(lines), Number(flags.compare))) }
})
