// `npm run check -- seed votes --folders 3 --photos 12`: creates public folders of small real photos at BASE_URL, for
// k6-vote.ts and run-votes.ts, and prints their settings as environment variables. Another machine's address needs
// ALLOW_REMOTE=yes. The owner is LOAD_ACCOUNT with LOAD_PASSWORD, or a new account. With LOAD_TEST_KEY it also prints a
// load test token for one hour.
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { createLoadTestToken } from '../../../gateway/src/limits/load-test-token.ts'
import { seedFolders } from './seed-folders.ts'
import { checkTarget } from './target.ts'

const { values: flags } = parseArgs({
  options: { folders: { type: 'string', default: '3' }, photos: { type: 'string', default: '12' } },
})
const { BASE_URL = 'http://127.0.0.1:8080', ALLOW_REMOTE, LOAD_TEST_KEY } = process.env
const username = process.env.LOAD_ACCOUNT ?? `votes-${randomBytes(4).toString('hex')}`
const password = process.env.LOAD_PASSWORD ?? randomBytes(12).toString('base64url')
const HOUR_SECONDS = 3600

const baseUrl = checkTarget(BASE_URL, ALLOW_REMOTE)
const size = { folders: Number(flags.folders), photos: Number(flags.photos) }
const { folders } = await seedFolders(baseUrl, { username, password }, size)
const lines = [
  `BASE_URL=${baseUrl}`,
  `CODES=${folders.map(({ code }) => code).join(',')}`,
  `LOAD_ACCOUNT=${username}`,
  `LOAD_PASSWORD=${password}`,
]
if (LOAD_TEST_KEY)
  lines.push(`LOAD_TEST_TOKEN=${createLoadTestToken(LOAD_TEST_KEY, Math.floor(Date.now() / 1000) + HOUR_SECONDS)}`)
console.log(lines.join('\n'))
