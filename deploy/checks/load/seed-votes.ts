// `npm run check -- seed:votes --folders 3 --photos 12`: makes public folders of small real photos at BASE_URL, for vote.ts and
// run-votes.ts, and prints what they need as lines of an environment. Another machine's address needs ALLOW_REMOTE=yes.
// The owner is LOAD_ACCOUNT with LOAD_PASSWORD, or a new account. With LOAD_TEST_KEY there is a token for an hour too.
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { createLoadTestToken } from '../../../gateway/src/limits/load-test-token.ts'
import { seedVotes } from './seed.ts'
import { loadTarget } from './target.ts'

const { values: flags } = parseArgs({
  options: { folders: { type: 'string', default: '3' }, photos: { type: 'string', default: '12' } },
})
const { BASE_URL = 'http://127.0.0.1:8080', ALLOW_REMOTE, LOAD_TEST_KEY } = process.env
const username = process.env.LOAD_ACCOUNT ?? `votes-${randomBytes(4).toString('hex')}`
const password = process.env.LOAD_PASSWORD ?? randomBytes(12).toString('base64url')
const hour = 3600

const baseUrl = loadTarget(BASE_URL, ALLOW_REMOTE)
const size = { folders: Number(flags.folders), photos: Number(flags.photos) }
const { folders } = await seedVotes(baseUrl, { username, password }, size)
const lines = [
  `BASE_URL=${baseUrl}`,
  `CODES=${folders.map(({ code }) => code).join(',')}`,
  `LOAD_ACCOUNT=${username}`,
  `LOAD_PASSWORD=${password}`,
]
if (LOAD_TEST_KEY)
  lines.push(`LOAD_TEST_TOKEN=${createLoadTestToken(LOAD_TEST_KEY, Math.floor(Date.now() / 1000) + hour)}`)
console.log(lines.join('\n'))
