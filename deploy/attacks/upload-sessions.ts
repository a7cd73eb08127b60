import { randomBytes } from 'node:crypto'
import { UPLOAD_PARTS } from '@skyfolio/proto'
import { type DeclaredFile, declareFile, partOf, sha256Of } from '../checks/declared-file.ts'
import { type Attack, judge, type Outcome } from './attack.ts'
import { type Client, jsonOf } from './client.ts'
import { makePhoto, type OwnPhoto, untilProcessed } from './owner.ts'
import type { Target } from './target.ts'

interface Created {
  results: { state: string; code?: string; session?: UploadSession }[]
}

export interface UploadSession {
  id: string
  missing: number[] | null
  uploads: { number: number; url: string; headers: Record<string, string> }[] | null
}

export async function create(client: Client, files: DeclaredFile[]): Promise<Created['results']> {
  return jsonOf<Created>(await client.send('POST', '/api/upload-sessions', { json: { files } })).results
}

/** Declares a file that the user does not have. @throws Error when there is no upload session of it */
export async function declare(client: Client, file: DeclaredFile): Promise<UploadSession> {
  const [result] = await create(client, [file])
  if (!result?.session) throw new Error(`a declared file is ${result?.state} ${result?.code ?? ''}`)
  return result.session
}

const pathOf = ({ id }: UploadSession, rest = '') => `/api/upload-sessions/${id}${rest}`

const put = (client: Client, session: UploadSession, number: number | string, bytes: Buffer, headers = {}) =>
  client.send('PUT', pathOf(session, `/parts/${number}`), { bytes, headers, timeoutMs: 30_000 })

const complete = (client: Client, session: UploadSession) =>
  client.send('POST', pathOf(session, '/complete'), { json: {}, timeoutMs: 30_000 })

/** A photo of two parts: the padding behind its end is part of the file. */
export async function makePartedPhoto(): Promise<{ bytes: Buffer; file: DeclaredFile }> {
  const photo = await makePhoto()
  const segments = Array.from({ length: 85 }, () =>
    Buffer.concat([Buffer.from([0xff, 0xfe, 0xff, 0xff]), randomBytes(65_533)]),
  )
  const bytes = Buffer.concat([photo.subarray(0, 2), ...segments, photo.subarray(2)])
  return { bytes, file: declareFile('parted.jpg', bytes, UPLOAD_PARTS.minBytes) }
}

/** Uploads all parts and completes. */
export async function uploadParts(
  client: Client,
  bytes: Buffer,
  file: DeclaredFile,
): Promise<{ session: UploadSession; photo: OwnPhoto }> {
  const session = await declare(client, file)
  for (const number of session.missing ?? [])
    jsonOf(await put(client, session, number, partOf(bytes, number, file.partBytes)))
  return { session, photo: jsonOf<OwnPhoto>(await complete(client, session)) }
}

async function missingOf(client: Client, session: UploadSession): Promise<string> {
  return String(jsonOf<UploadSession>(await client.send('GET', pathOf(session))).missing)
}

/** Every part again, with the same and with other bytes, while and after the file is completed. */
async function replaceParts(target: Target): Promise<Outcome> {
  const { expect, seen } = judge()
  const { client } = await target.register()
  const { bytes, file } = await makePartedPhoto()
  const session = await declare(client, file)
  const parts = [1, 2].map((number) => partOf(bytes, number, file.partBytes))
  for (const [index, part] of parts.entries()) jsonOf(await put(client, session, index + 1, part))
  const others = parts.map((part) => Buffer.alloc(part.length, 1))
  const attempts = [...parts, ...others].map((part, index) => () => put(client, session, (index % 2) + 1, part))
  const [completed, ...during] = await Promise.all([complete(client, session), ...attempts.map((attempt) => attempt())])
  const photo = jsonOf<OwnPhoto>(completed)
  const after: number[] = []
  for (const attempt of attempts) after.push((await attempt()).status)
  expect(
    after.every((status) => status === 409 || status === 404),
    `parts after the completion returned ${after}`,
  )
  const { status, bytes: stored } = await client.send('GET', photo.url, { timeoutMs: 30_000 })
  expect(status === 200 && sha256Of(stored) === file.sha256, 'the stored file is not the declared one')
  const again = await complete(client, session)
  expect(again.status < 300 && jsonOf<OwnPhoto>(again).id === photo.id, `completing again returned ${again.status}`)
  return seen(`during: ${[...new Set(during.map((one) => one.status))]}, afterwards: ${[...new Set(after)]}`)
}

/** Other bytes, other lengths, other numbers: nothing of it is stored. */
async function sendOtherBytes(target: Target): Promise<Outcome> {
  const { expect, seen } = judge()
  const { client } = await target.register()
  const bytes = await makePhoto()
  const session = await declare(client, declareFile('small.jpg', bytes, UPLOAD_PARTS.minBytes))
  const wrong: [string, () => ReturnType<typeof put>][] = [
    ['other bytes', () => put(client, session, 1, Buffer.alloc(bytes.length, 1))],
    ['a shorter part', () => put(client, session, 1, bytes.subarray(1))],
    ['a longer part', () => put(client, session, 1, Buffer.concat([bytes, bytes]))],
    ['6 MB of a file of a few kB', () => put(client, session, 1, Buffer.alloc(6_000_000))],
    ['40 MB', () => put(client, session, 1, Buffer.alloc(40_000_000))],
    ['nothing', () => put(client, session, 1, Buffer.alloc(0))],
    [
      'another checksum',
      () => put(client, session, 1, bytes, { 'x-amz-checksum-sha256': Buffer.alloc(32).toString('base64') }),
    ],
    [
      'chunks without a length',
      () => put(client, session, 1, bytes, { 'content-length': '', 'transfer-encoding': 'chunked' }),
    ],
    ...[2, 0, 10_001, '1e0', '%31%20', '-1'].map((number): [string, () => ReturnType<typeof put>] => [
      `part ${number}`,
      () => put(client, session, number, bytes),
    ]),
  ]
  const statuses = new Set<number>()
  for (const [what, send] of wrong) {
    const { status } = await send()
    statuses.add(status)
    // Of a large body the connection may end before the response is read.
    expect((status >= 400 && status < 500) || (status === 0 && what.includes('MB')), `${what} returned ${status}`)
    expect((await missingOf(client, session)) === '1', `${what} was stored`)
  }
  const early = await complete(client, session)
  expect(early.status === 409, `completing without its part returned ${early.status}`)
  return seen(`${wrong.length} wrong parts: ${[...statuses]}`)
}

/** Declares the SHA-256 of one photo and sends another one. */
async function claimHash(target: Target): Promise<Outcome> {
  const { expect, seen } = judge()
  const { client } = await target.register()
  const { client: other } = await target.register()
  const [real, changed] = [await makePhoto(), await makePhoto()]
  const declared = declareFile('real.jpg', real, UPLOAD_PARTS.minBytes)
  const lie = { ...declareFile('real.jpg', changed, UPLOAD_PARTS.minBytes), sha256: declared.sha256 }
  const { photo } = await uploadParts(client, changed, lie)
  const known = await client.send('POST', '/api/photos/known', { json: { hashes: [declared.sha256] } })
  const [result] = await create(other, [declared])
  expect(result?.state === 'open', `of another user the real file is ${result?.state}`)
  // Before the worker has read the wrong one, if it has not been faster.
  const own = await declare(client, declared)
  expect(String(own.missing) === '1', `of the same user the real file lacks ${own.missing}`)
  const [failed] = await untilProcessed(client, [photo.id])
  expect(failed?.status === 'failed', `a photo with a wrong hash is ${failed?.status}`)
  const { known: found } = jsonOf<{ known: object }>(known)
  expect(Object.keys(found).length === 0, `an unverified hash is known: ${known.text}`)
  const { photo: again } = await uploadParts(client, real, declared)
  const [ready] = await untilProcessed(client, [again.id])
  expect(again.id !== photo.id && ready?.status === 'ready', `the real file became ${ready?.status}`)
  return seen(`the photo with a wrong hash is ${failed?.status}, the real one ${ready?.status}`)
}

export const UPLOAD_SESSION_ATTACKS: Attack[] = [
  {
    name: 'a part is not replaced while and after its photo is completed',
    short: true,
    run: replaceParts,
  },
  {
    name: 'a part has the declared bytes and length, or nothing is stored',
    short: true,
    run: sendOtherBytes,
  },
  {
    name: 'a wrong hash of a file hides no upload, and its photo fails',
    short: true,
    run: claimHash,
  },
]
