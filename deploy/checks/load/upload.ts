import { check, fail } from 'k6'
import { randomBytes, sha256 } from 'k6/crypto'
import exec from 'k6/execution'
import http, { type Response } from 'k6/http'
import { Counter } from 'k6/metrics'
import type { Options } from 'k6/options'
import { formOf, joined, type LoadFile, withComment } from './files.ts'
import { loadTarget } from './target.ts'

// Uploads through the gateway, run by k6 (see run-upload.ts, which also compares afterwards). Each acknowledged photo
// becomes one line of JSON on the console: { id, url, sha256, user }. Settings, all from the environment:
// BASE_URL, on this machine unless ALLOW_REMOTE=yes; PHOTOS: JPEG files, separated by commas; SECONDS; VUS: uploads at
// the same time; USERS accounts named LOAD_ACCOUNT-0 and so on with LOAD_PASSWORD, registered here unless they are there;
// SUMMARY: file for k6's figures as JSON.
const baseUrl = loadTarget(__ENV.BASE_URL ?? 'http://127.0.0.1:8080', __ENV.ALLOW_REMOTE)
const seconds = bounded('SECONDS', 60, 600)
const vus = bounded('VUS', 8, 64)
const users = bounded('USERS', 4, 16)
const account = __ENV.LOAD_ACCOUNT ?? ''
const password = __ENV.LOAD_PASSWORD ?? ''
if (!account || !password || !__ENV.PHOTOS) throw new Error('LOAD_ACCOUNT, LOAD_PASSWORD and PHOTOS are needed.')
const photos = __ENV.PHOTOS.split(',').map((path) => new Uint8Array(open(path, 'b')))

/** One upload of three photos comes after this many of one photo. */
const singlesPerGroup = 3
const acknowledged = new Counter('photos_acknowledged')

export const options: Options = {
  scenarios: {
    upload: {
      executor: 'ramping-vus',
      startVUs: 1,
      stages: [
        { duration: `${seconds * 0.2}s`, target: vus },
        { duration: `${seconds * 0.6}s`, target: vus },
        { duration: `${seconds * 0.2}s`, target: 1 },
      ],
      gracefulRampDown: '30s',
      gracefulStop: '30s',
    },
  },
  thresholds: {
    checks: ['rate==1'],
    photos_acknowledged: ['count>0'],
    'http_req_failed{scenario:upload}': ['rate==0'],
    'http_req_duration{name:one}': ['p(95)<5000'],
    'http_req_duration{name:group}': ['p(95)<10000'],
  },
}

/** A number of the environment from 1 to `most`. */
function bounded(name: string, otherwise: number, most: number): number {
  const value = Number(__ENV[name] ?? otherwise)
  if (value >= 1 && value <= most) return value
  throw new Error(`${name} is ${__ENV[name]}; it must be a number from 1 to ${most}.`)
}

/** Registers the accounts, or signs in to them; gives the header `cookie` of each. */
export function setup(): string[] {
  return Array.from({ length: users }, (_, index) => signIn(`${account}-${index}`))
}

function signIn(username: string): string {
  const params = { headers: { 'content-type': 'application/json', origin: baseUrl } }
  const registration = { username, password, confirmPassword: password }
  let answer = http.post(`${baseUrl}/api/register`, JSON.stringify(registration), params)
  if (answer.status === 409) {
    answer = http.post(`${baseUrl}/api/login`, JSON.stringify({ username, password }), params)
  }
  if (answer.status >= 300) fail(`${username} could not sign in: ${answer.status} ${answer.body}`)
  const cookies = Object.entries(answer.cookies).map(([name, [cookie]]) => `${name}=${cookie?.value}`)
  http.cookieJar().clear(baseUrl)
  return cookies.join('; ')
}

export default function upload(cookies: string[]): void {
  const user = exec.vu.idInTest % users
  const group = exec.scenario.iterationInTest % (singlesPerGroup + 1) === singlesPerGroup
  const files = Array.from({ length: group ? 3 : 1 }, newFile)
  const boundary = `----load${sha256(randomBytes(16), 'hex')}`
  const answer = http.post(
    `${baseUrl}/api/${group ? 'upload-photos' : 'upload-photo'}`,
    joined(formOf(boundary, group ? 'photos' : 'photo', files)).buffer,
    {
      headers: {
        cookie: cookies[user] ?? '',
        origin: baseUrl,
        'content-type': `multipart/form-data; boundary=${boundary}`,
      },
      tags: { name: group ? 'group' : 'one' },
    },
  )
  check(answer, { 'every file was acknowledged': () => acknowledge(answer, user) === files.length })
}

/** A photo that no request sent before; its name tells the SHA-256. */
function newFile(): LoadFile {
  const photo = photos[Math.floor(Math.random() * photos.length)] as Uint8Array
  const bytes = joined(withComment(photo, new Uint8Array(randomBytes(16))))
  return { name: `${sha256(bytes.buffer, 'hex')}.jpg`, pieces: [bytes] }
}

interface Photo {
  id: number
  url: string
  originalName: string
}

/** Writes down each photo that the answer promises; gives how many. */
function acknowledge(answer: Response, user: number): number {
  if (answer.status !== 201) return 0
  const body = answer.json() as unknown as Photo | { photos: Photo[] }
  const promised = 'photos' in body ? body.photos : [body]
  for (const { id, url, originalName } of promised) {
    console.log(JSON.stringify({ id, url, sha256: originalName.replace('.jpg', ''), user }))
  }
  acknowledged.add(promised.length)
  return promised.length
}

/** k6's figures for the runner, which prints what matters. */
export function handleSummary(data: object): Record<string, string> {
  return { [__ENV.SUMMARY ?? 'stdout']: JSON.stringify(data, null, 2) }
}
