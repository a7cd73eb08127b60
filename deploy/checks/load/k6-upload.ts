import { check, fail } from 'k6'
import { randomBytes, sha256 } from 'k6/crypto'
import exec from 'k6/execution'
import http, { type Response } from 'k6/http'
import { Counter } from 'k6/metrics'
import type { Options } from 'k6/options'
import { concatenate, createForm, type LoadFile, withComment } from './multipart.ts'
import { checkTarget } from './target.ts'

// k6 script: uploads through the gateway (see run-upload.ts, which also compares the originals). Logs one line of JSON
// per acknowledged photo: { id, url, sha256, user }. Settings, all from the environment:
// BASE_URL, on this machine unless ALLOW_REMOTE=yes; PHOTOS: JPEG files, separated by commas; SECONDS; VUS: concurrent
// uploads; USERS: number of accounts LOAD_ACCOUNT-0 and so on with LOAD_PASSWORD, registered here unless they exist;
// SUMMARY: file for k6's figures as JSON.
const baseUrl = checkTarget(__ENV.BASE_URL ?? 'http://127.0.0.1:8080', __ENV.ALLOW_REMOTE)
const seconds = readNumber('SECONDS', 60, 600)
const vus = readNumber('VUS', 8, 64)
const users = readNumber('USERS', 4, 16)
const account = __ENV.LOAD_ACCOUNT ?? ''
const password = __ENV.LOAD_PASSWORD ?? ''
if (!account || !password || !__ENV.PHOTOS) throw new Error('LOAD_ACCOUNT, LOAD_PASSWORD and PHOTOS are needed.')
const photos = __ENV.PHOTOS.split(',').map((path) => new Uint8Array(open(path, 'b')))

/** Uploads of one photo for each upload of three. */
const SINGLES_PER_GROUP = 3
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

/** Reads a number from 1 to `max` from the environment. */
function readNumber(name: string, fallback: number, max: number): number {
  const value = Number(__ENV[name] ?? fallback)
  if (value >= 1 && value <= max) return value
  throw new Error(`${name} is ${__ENV[name]}; it must be a number from 1 to ${max}.`)
}

/** Registers the accounts, or signs in to them. Returns the cookie header of each. */
export function setup(): string[] {
  return Array.from({ length: users }, (_, index) => signIn(`${account}-${index}`))
}

function signIn(username: string): string {
  const params = { headers: { 'content-type': 'application/json', origin: baseUrl } }
  const registration = { username, password, confirmPassword: password }
  let response = http.post(`${baseUrl}/api/register`, JSON.stringify(registration), params)
  if (response.status === 409) {
    response = http.post(`${baseUrl}/api/login`, JSON.stringify({ username, password }), params)
  }
  if (response.status >= 300) fail(`${username} could not sign in: ${response.status} ${response.body}`)
  const cookies = Object.entries(response.cookies).map(([name, [cookie]]) => `${name}=${cookie?.value}`)
  http.cookieJar().clear(baseUrl)
  return cookies.join('; ')
}

export default function upload(cookies: string[]): void {
  const user = exec.vu.idInTest % users
  const group = exec.scenario.iterationInTest % (SINGLES_PER_GROUP + 1) === SINGLES_PER_GROUP
  const files = Array.from({ length: group ? 3 : 1 }, createFile)
  const boundary = `----load${sha256(randomBytes(16), 'hex')}`
  const response = http.post(
    `${baseUrl}/api/${group ? 'upload-photos' : 'upload-photo'}`,
    concatenate(createForm(boundary, group ? 'photos' : 'photo', files)).buffer,
    {
      headers: {
        cookie: cookies[user] ?? '',
        origin: baseUrl,
        'content-type': `multipart/form-data; boundary=${boundary}`,
      },
      tags: { name: group ? 'group' : 'one' },
    },
  )
  check(response, { 'every file was acknowledged': () => logAcknowledged(response, user) === files.length })
}

/** Creates a photo that no other request sends, named by its SHA-256. */
function createFile(): LoadFile {
  const photo = photos[Math.floor(Math.random() * photos.length)] as Uint8Array
  const bytes = concatenate(withComment(photo, new Uint8Array(randomBytes(16))))
  return { name: `${sha256(bytes.buffer, 'hex')}.jpg`, pieces: [bytes] }
}

interface Photo {
  id: number
  url: string
  originalName: string
}

/** Logs each photo that the response acknowledges. Returns their number. */
function logAcknowledged(response: Response, user: number): number {
  if (response.status !== 201) return 0
  const body = response.json() as unknown as Photo | { photos: Photo[] }
  const photos = 'photos' in body ? body.photos : [body]
  for (const { id, url, originalName } of photos) {
    console.log(JSON.stringify({ id, url, sha256: originalName.replace('.jpg', ''), user }))
  }
  acknowledged.add(photos.length)
  return photos.length
}

/** Writes k6's figures for the runner, which prints a summary. */
export function handleSummary(data: object): Record<string, string> {
  return { [__ENV.SUMMARY ?? 'stdout']: JSON.stringify(data, null, 2) }
}
