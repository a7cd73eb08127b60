import { randomBytes } from 'node:crypto'
import { UPLOAD_PARTS } from '@skyfolio/proto'
import { type DeclaredFile, declareFile, partOf, sha256Of } from '../checks/declared-file.ts'
import type { Attack, Expect } from './attack.ts'
import { type Client, jsonOf } from './client.ts'
import { makePhoto, type OwnPhoto } from './owner.ts'
import type { Target } from './target.ts'

interface UploadSession {
  id: string
  missing: number[] | null
}

/** Declares a file that the user does not have. @throws Error when there is no upload session of it */
export async function declare(client: Client, file: DeclaredFile): Promise<UploadSession> {
  const created = await client.send('POST', '/api/upload-sessions', { json: { files: [file] } })
  const [result] = jsonOf<{ results: { state: string; session?: UploadSession }[] }>(created).results
  if (!result?.session) throw new Error(`a declared file is ${result?.state}`)
  return result.session
}

const pathOf = ({ id }: UploadSession, rest = '') => `/api/upload-sessions/${id}${rest}`

const put = (client: Client, session: UploadSession, number: number | string, bytes: Buffer, headers = {}) =>
  client.send('PUT', pathOf(session, `/parts/${number}`), { bytes, headers, timeoutMs: 30_000 })

const complete = (client: Client, session: UploadSession) =>
  client.send('POST', pathOf(session, '/complete'), { json: {}, timeoutMs: 30_000 })

/** A photo of two parts: the padding behind its end is part of the file. */
async function makePartedPhoto(): Promise<{ bytes: Buffer; file: DeclaredFile }> {
  const photo = await makePhoto()
  const segments = Array.from({ length: 85 }, () =>
    Buffer.concat([Buffer.from([0xff, 0xfe, 0xff, 0xff]), randomBytes(65_533)]),
  )
  const bytes = Buffer.concat([photo.subarray(0, 2), ...segments, photo.subarray(2)])
  return { bytes, file: declareFile('parted.jpg', bytes, UPLOAD_PARTS.minBytes) }
}

async function missingOf(client: Client, session: UploadSession): Promise<string> {
  return String(jsonOf<UploadSession>(await client.send('GET', pathOf(session))).missing)
}

/** Every part again, with the same and with other bytes, while and after the file is completed. */
async function replaceParts(target: Target, expect: Expect): Promise<void> {
  const { client } = await target.register()
  const { bytes, file } = await makePartedPhoto()
  const session = await declare(client, file)
  const parts = [1, 2].map((number) => partOf(bytes, number, file.partBytes))
  for (const [index, part] of parts.entries()) {
    const { status } = await put(client, session, index + 1, part)
    if (status !== 204) throw new Error(`a part returned ${status}`)
  }
  const others = parts.map((part) => Buffer.alloc(part.length, 1))
  const attempts = [...parts, ...others].map((part, index) => () => put(client, session, (index % 2) + 1, part))
  const [completed] = await Promise.all([complete(client, session), ...attempts.map((attempt) => attempt())])
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
}

/** Other bytes, other lengths, other numbers: nothing of it is stored. */
async function sendOtherBytes(target: Target, expect: Expect): Promise<void> {
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
  for (const [what, send] of wrong) {
    const { status } = await send()
    // Of a large body the connection may end before the response is read.
    expect((status >= 400 && status < 500) || (status === 0 && what.includes('MB')), `${what} returned ${status}`)
    expect((await missingOf(client, session)) === '1', `${what} was stored`)
  }
  const early = await complete(client, session)
  expect(early.status === 409, `completing without its part returned ${early.status}`)
}

export const UPLOAD_SESSION_ATTACKS: Attack[] = [
  { name: 'a part is not replaced while and after its photo is completed', run: replaceParts },
  { name: 'a part has the declared bytes and length, or nothing is stored', run: sendOtherBytes },
]
