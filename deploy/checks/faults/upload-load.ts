import { setTimeout as delay } from 'node:timers/promises'
import { openSignedInClient, type SignedInClient } from '../../local/signed-in-client.ts'
import { between, seededRandom } from './random.ts'
import { createDeadline } from './runner.ts'
import { createFileSource, type UploadFile } from './upload-files.ts'
import { asForm, inParts, type UploadOutcome, uploadWithRetries } from './upload-ways.ts'

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
  /** By default for `ms`. */
  isRunning?: () => boolean
  photos: Buffer[]
  /** The part of the uploads that go in upload sessions; the others use the form, as all do by default. */
  partOfSessions?: number
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

function note(report: UploadReport, user: User, file: UploadFile, outcome: UploadOutcome): void {
  const isInvalid = file.outcome === 'rejected'
  if (!outcome) report.errors.push(`${user.name} gave up on ${file.name}`)
  else if ('rejection' in outcome) {
    if (isInvalid) report.rejected += 1
    else report.errors.push(`${user.name} got ${file.name} rejected: ${outcome.rejection}`)
  } else {
    const { photoId } = outcome
    if (isInvalid) report.errors.push(`${file.name} is not a photo and became photo ${photoId}`)
    report.acknowledged.push({ userId: user.id, cookie: user.session.cookie, photoId, file })
  }
}

/** Uploads with several users and several uploads per user. Resolves when the last upload is complete. */
export async function runUploadLoad(options: UploadLoadOptions, started: () => void): Promise<UploadReport> {
  const report: UploadReport = { acknowledged: [], rejected: 0, requests: 0, responses: new Map(), errors: [] }
  const { name = 'pilot', users: userCount = 3, uploadsPerUser = 2, pauseMs = 2_000, partOfSessions = 0 } = options
  const names = Array.from({ length: userCount }, (_, index) => `${name}${index + 1}`)
  const count = (response: string) => {
    report.requests += 1
    report.responses.set(response, (report.responses.get(response) ?? 0) + 1)
  }
  const users = await Promise.all(names.map((name) => createUser(options.url, name)))
  started()
  const end = Date.now() + options.ms
  const isRunning = options.isRunning ?? (() => Date.now() < end)
  const isLate = createDeadline(isRunning, FINISH_TIMEOUT_MS)

  async function stream(user: User, index: number): Promise<void> {
    const random = seededRandom(options.seed + 1 + index)
    const files = createFileSource(random, options.photos, `${user.name}-${index}`)
    while (isRunning()) {
      const length = 1 + Math.floor(random() ** 2 * MAX_FILES)
      const way = random() < partOfSessions ? inParts : asForm
      const batch = Array.from({ length }, () => files.next(way === inParts))
      const outcomes = await uploadWithRetries(batch, way, {
        url: options.uploadUrl ?? options.url,
        headers: { cookie: user.session.cookie, origin: options.url },
        folderId: random() < 0.5 ? user.folderId : null,
        random,
        bytesPerSecond: between(random, 500_000, 6_000_000),
        count,
        isLate,
      })
      for (const [index, file] of batch.entries()) note(report, user, file, outcomes[index] ?? null)
      await delay(between(random, 300, pauseMs))
    }
  }

  const streams = users.flatMap((user, index) =>
    Array.from({ length: uploadsPerUser }, (_, place) => stream(user, index * uploadsPerUser + place)),
  )
  await Promise.all(streams)
  return report
}
