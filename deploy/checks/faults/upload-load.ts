import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { openSignedInClient, type SignedInClient } from '../../local/signed-in-client.ts'
import { createForm } from '../load/multipart.ts'
import { uploadInParts } from './part-upload.ts'
import { between, type Random, seededRandom } from './random.ts'
import { sendSlowly } from './slow-request.ts'
import { createFileSource, type UploadFile } from './upload-files.ts'

/** A photo that the system acknowledged. */
export interface Acknowledged {
  userId: number
  cookie: string
  photoId: number
  file: UploadFile
}

/** What the users of a run observed. */
export interface UploadReport {
  acknowledged: Acknowledged[]
  rejected: number
  requests: number
  /** Count of each response: a status, or an error message. */
  responses: Map<string, number>
  /** What no user should have observed. */
  errors: string[]
}

export interface UploadLoadOptions {
  url: string
  seed: number
  ms: number
  photos: Buffer[]
  /** The part of the uploads that go in upload sessions; the others use the form, as all do by default. */
  inParts?: number
  /** Where uploads are sent to, if not to `url`: a proxy in front of it. */
  uploadUrl?: string
  /** Prefix of the user names; `pilot` by default. */
  name?: string
  users?: number
  /** Concurrent uploads per user. */
  uploadsPerUser?: number
  /** Maximum pause between a user's uploads. */
  pauseMs?: number
}

interface User {
  id: number
  name: string
  session: SignedInClient
  folderId: number
}

interface UploadResponse {
  files: { photoId: number | null; issue: string | null }[]
}

const MAX_FILES = 10
/** How long the last uploads may take after the load. */
const FINISH_TIMEOUT_MS = 90_000

async function createUser(url: string, name: string): Promise<User> {
  const account = { username: name, password: 'a long enough password', firstName: 'Fault', lastName: 'Run' }
  const session = await openSignedInClient(url, account)
  const { id } = (await session.call('GET', '/api/user')) as { id: number }
  const folder = (await session.call('POST', '/api/folders', { name: `Flight of ${name}` })) as { id: number }
  return { id, name, session, folderId: folder.id }
}

/** Uploads the files in upload sessions. */
async function uploadInSessions(
  options: UploadLoadOptions,
  user: User,
  random: Random,
  files: UploadFile[],
  report: UploadReport,
  deadline: number,
): Promise<void> {
  const outcomes = await uploadInParts(files, {
    url: options.uploadUrl ?? options.url,
    headers: { cookie: user.session.cookie, origin: options.url },
    folderId: random() < 0.5 ? user.folderId : null,
    random,
    bytesPerSecond: between(random, 500_000, 6_000_000),
    count(response) {
      report.requests += 1
      report.responses.set(response, (report.responses.get(response) ?? 0) + 1)
    },
    deadline,
  })
  for (const [index, file] of files.entries()) {
    const outcome = outcomes[index]
    if (!outcome) report.errors.push(`${user.name} gave up on ${file.name}`)
    else if ('rejection' in outcome) noteRejection(user, file, outcome.rejection, report)
    else handleFileResult(user, file, { photoId: outcome.photoId, issue: null }, report)
  }
}

function noteRejection(user: User, file: UploadFile, rejection: string, report: UploadReport): void {
  if (file.outcome === 'rejected') report.rejected += 1
  else report.errors.push(`${user.name} got ${file.name} rejected: ${rejection}`)
}

/** Sends the files until each has a final result, retrying after any error, at most until `deadline`. */
async function uploadWithRetries(
  options: UploadLoadOptions,
  user: User,
  random: Random,
  wanted: UploadFile[],
  report: UploadReport,
  deadline: number,
): Promise<void> {
  const fields = { folderId: random() < 0.5 ? String(user.folderId) : 'none' }
  const speed = between(random, 500_000, 6_000_000)
  let remaining = wanted
  let lastResponse = ''
  while (remaining.length > 0) {
    if (Date.now() > deadline) {
      report.errors.push(`${user.name} gave up on ${remaining.map(({ name }) => name).join(', ')}: ${lastResponse}`)
      return
    }
    const files = remaining.map(({ name, bytes }) => ({ name, pieces: [bytes] }))
    const boundary = `----${randomUUID()}`
    const body = Buffer.concat(createForm(boundary, 'photos', files, fields))
    const contentType = `multipart/form-data; boundary=${boundary}`
    const headers = { cookie: user.session.cookie, origin: options.url, 'content-type': contentType }
    report.requests += 1
    const url = `${options.uploadUrl ?? options.url}/api/upload-photos`
    const response = await sendSlowly({ method: 'POST', url, headers, body, bytesPerSecond: speed }).catch(
      (error: Error) => error,
    )
    lastResponse = response instanceof Error ? response.message : `${response.status} ${response.body.slice(0, 300)}`
    const kind = response instanceof Error ? response.message : String(response.status)
    report.responses.set(kind, (report.responses.get(kind) ?? 0) + 1)
    remaining =
      response instanceof Error ? remaining : handleResponse(user, remaining, response.status, response.body, report)
    if (remaining.length > 0) await delay(between(random, 500, 2_000))
  }
}

/** Records the final results in a response. Returns the files to send again. */
function handleResponse(
  user: User,
  files: UploadFile[],
  status: number,
  body: string,
  report: UploadReport,
): UploadFile[] {
  if (status >= 500 || status === 429) return files
  const allInvalid = files.every(({ outcome }) => outcome === 'rejected')
  if (status >= 400) {
    if (!allInvalid) report.errors.push(`${user.name} got valid files rejected: ${status} ${body.slice(0, 300)}`)
    report.rejected += allInvalid ? files.length : 0
    return allInvalid ? [] : files
  }
  const response = JSON.parse(body) as UploadResponse
  if (response.files.length !== files.length) {
    report.errors.push(`a response for ${files.length} files has ${response.files.length}`)
    return []
  }
  return files.filter((file, index) => !handleFileResult(user, file, response.files[index], report))
}

function handleFileResult(
  user: User,
  file: UploadFile,
  result: UploadResponse['files'][number] | undefined,
  report: UploadReport,
) {
  if (result?.photoId != null) {
    if (file.outcome === 'rejected')
      report.errors.push(`${file.name} is not a photo and became photo ${result.photoId}`)
    report.acknowledged.push({ userId: user.id, cookie: user.session.cookie, photoId: result.photoId, file })
    return true
  }
  if (file.outcome === 'rejected') report.rejected += 1
  return file.outcome === 'rejected'
}

/** Uploads for `ms` with several users and several uploads per user. Resolves when the last upload is complete. */
export async function runUploadLoad(options: UploadLoadOptions, started: () => void): Promise<UploadReport> {
  const report: UploadReport = { acknowledged: [], rejected: 0, requests: 0, responses: new Map(), errors: [] }
  const { name = 'pilot', users: userCount = 3, uploadsPerUser = 2, pauseMs = 2_000, inParts = 0 } = options
  const names = Array.from({ length: userCount }, (_, index) => `${name}${index + 1}`)
  const users = await Promise.all(names.map((name) => createUser(options.url, name)))
  started()
  const end = Date.now() + options.ms

  async function stream(user: User, index: number): Promise<void> {
    const random = seededRandom(options.seed + 1 + index)
    const files = createFileSource(random, options.photos, `${user.name}-${index}`)
    while (Date.now() < end) {
      const count = 1 + Math.floor(random() ** 2 * MAX_FILES)
      const isInParts = random() < inParts
      const batch = Array.from({ length: count }, () => files.next(isInParts))
      const upload = isInParts ? uploadInSessions : uploadWithRetries
      await upload(options, user, random, batch, report, end + FINISH_TIMEOUT_MS)
      await delay(between(random, 300, pauseMs))
    }
  }

  const streams = users.flatMap((user, index) =>
    Array.from({ length: uploadsPerUser }, (_, place) => stream(user, index * uploadsPerUser + place)),
  )
  await Promise.all(streams)
  return report
}
