import { setTimeout as delay } from 'node:timers/promises'
import { openSession, type Session } from '../../local/session.ts'
import { createFiles, type UploadFile } from './files.ts'
import { formOf, post } from './post.ts'
import { between, type Random, seeded } from './random.ts'

/** A photo that the system said it has. */
export interface Acknowledged {
  userId: number
  cookie: string
  photoId: number
  file: UploadFile
}

/** What the users of a run saw. */
export interface Report {
  acknowledged: Acknowledged[]
  refused: number
  requests: number
  /** How often each answer (a status, or an error in words) came. */
  answers: Map<string, number>
  /** What no user should have seen. */
  wrong: string[]
}

export interface LoadOptions {
  url: string
  seed: number
  ms: number
  photos: Buffer[]
  /** Users are this and a number; `pilot` unless given. */
  name?: string
  users?: number
  /** How many of each user's uploads are under way at the same time. */
  uploadsPerUser?: number
  /** A user's pause between uploads, at most. */
  pauseMs?: number
}

interface User {
  id: number
  name: string
  session: Session
  folderId: number
}

interface UploadAnswer {
  files: { photoId: number | null; issue: string | null }[]
}

const mostFiles = 10
/** After the load the last uploads may go on for this long. */
const patienceMs = 90_000

async function openUser(url: string, name: string): Promise<User> {
  const account = { username: name, password: 'a long enough password', firstName: 'Fault', lastName: 'Run' }
  const session = await openSession(url, account)
  const { id } = (await session.call('GET', '/api/user')) as { id: number }
  const folder = (await session.call('POST', '/api/folders', { name: `Flight of ${name}` })) as { id: number }
  return { id, name, session, folderId: folder.id }
}

/** Sends the files until each is settled, again after whatever error; false when it gave up at `deadline`. */
async function uploadWithRetries(
  o: LoadOptions,
  user: User,
  random: Random,
  files: UploadFile[],
  report: Report,
  deadline: number,
): Promise<void> {
  const fields = { folderId: random() < 0.5 ? String(user.folderId) : 'none' }
  const speed = between(random, 500_000, 6_000_000)
  let left = files
  let saw = ''
  while (left.length > 0) {
    if (Date.now() > deadline) {
      report.wrong.push(`${user.name} gave up on ${left.map(({ name }) => name).join(', ')}: ${saw}`)
      return
    }
    const form = formOf(fields, left)
    const headers = { cookie: user.session.cookie, origin: o.url, 'content-type': form.contentType }
    report.requests += 1
    const answer = await post(`${o.url}/api/upload-photos`, headers, form.body, speed).catch((error: Error) => error)
    saw = answer instanceof Error ? answer.message : `${answer.status} ${answer.body.slice(0, 300)}`
    const kind = answer instanceof Error ? answer.message : String(answer.status)
    report.answers.set(kind, (report.answers.get(kind) ?? 0) + 1)
    left = answer instanceof Error ? left : settle(user, left, answer.status, answer.body, report)
    if (left.length > 0) await delay(between(random, 500, 2_000))
  }
}

/** Notes what an answer settled and gives the files to send again. */
function settle(user: User, files: UploadFile[], status: number, body: string, report: Report): UploadFile[] {
  if (status >= 500 || status === 429) return files
  const refusable = files.every(({ outcome }) => outcome === 'refused')
  if (status >= 400) {
    if (!refusable) report.wrong.push(`${user.name} was refused good files: ${status} ${body.slice(0, 300)}`)
    report.refused += refusable ? files.length : 0
    return refusable ? [] : files
  }
  const answer = JSON.parse(body) as UploadAnswer
  if (answer.files.length !== files.length) {
    report.wrong.push(`an answer for ${files.length} files told of ${answer.files.length}`)
    return []
  }
  return files.filter((file, index) => !settleFile(user, file, answer.files[index], report))
}

function settleFile(user: User, file: UploadFile, told: UploadAnswer['files'][number] | undefined, report: Report) {
  if (told?.photoId != null) {
    if (file.outcome === 'refused') report.wrong.push(`${file.name} is no photo and became photo ${told.photoId}`)
    report.acknowledged.push({ userId: user.id, cookie: user.session.cookie, photoId: told.photoId, file })
    return true
  }
  if (file.outcome === 'refused') report.refused += 1
  return file.outcome === 'refused'
}

/** Uploads for `ms`, several users at once and each several at a time; resolves when the last upload is settled. */
export async function runLoad(o: LoadOptions, started: () => void): Promise<Report> {
  const report: Report = { acknowledged: [], refused: 0, requests: 0, answers: new Map(), wrong: [] }
  const { name = 'pilot', users: userCount = 3, uploadsPerUser = 2, pauseMs = 2_000 } = o
  const names = Array.from({ length: userCount }, (_, index) => `${name}${index + 1}`)
  const users = await Promise.all(names.map((name) => openUser(o.url, name)))
  started()
  const end = Date.now() + o.ms

  async function stream(user: User, index: number): Promise<void> {
    const random = seeded(o.seed + 1 + index)
    const files = createFiles(random, o.photos, `${user.name}-${index}`)
    while (Date.now() < end) {
      const count = 1 + Math.floor(random() ** 2 * mostFiles)
      const batch = Array.from({ length: count }, () => files.next())
      await uploadWithRetries(o, user, random, batch, report, end + patienceMs)
      await delay(between(random, 300, pauseMs))
    }
  }

  const streams = users.flatMap((user, index) =>
    Array.from({ length: uploadsPerUser }, (_, place) => stream(user, index * uploadsPerUser + place)),
  )
  await Promise.all(streams)
  return report
}
