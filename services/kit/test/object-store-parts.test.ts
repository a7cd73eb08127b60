import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type ObjectStore, openObjectStore, type PartedUpload, type PartSpec, UnknownUpload } from '@skyfolio/kit'
import { testDirectory, waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { renderMetrics } from '../src/telemetry/metrics.ts'
import { collect } from './object-store-contract.ts'
import { beginUpload, openReceiver, putPart } from './object-store-parts-contract.ts'

const noS3 = { s3Region: '' }
const contents = [randomBytes(1000), randomBytes(1000), randomBytes(10)]
const root = join(testDirectory(), `parts-${randomUUID()}`)
const incoming = join(root, 'incoming')
const config = { objectStoreDir: root, ...noS3 } as const

let store: ObjectStore
let receiver: Awaited<ReturnType<typeof openReceiver>>
beforeAll(async () => {
  store = await openObjectStore(config)
  receiver = await openReceiver()
})
afterAll(() => receiver.close())

const put = (upload: PartedUpload, parts: PartSpec[], number: number) =>
  receiver.receive(contents[number - 1] as Buffer, (body) =>
    putPart(store, upload, parts[number - 1] as PartSpec, body),
  )

async function storeAll(key: string) {
  const begun = await beginUpload(store, key, contents)
  for (const { number } of begun.parts) await put(begun.upload, begun.parts, number)
  return begun
}

async function expectStored(upload: PartedUpload, parts: PartSpec[]): Promise<void> {
  await expect(put(upload, parts, 1)).rejects.toThrow(UnknownUpload)
  expect(await store.parts.complete(upload, parts)).toEqual({ missing: [] })
  const found = await store.get(upload.key)
  expect(found && (await buffer(found.body)).equals(Buffer.concat(contents))).toBe(true)
  expect(await readdir(incoming)).toEqual([])
}

test('a completion that was interrupted before the file moved goes on', async () => {
  const { upload, parts } = await storeAll('sealed')
  await rename(join(incoming, `${upload.uploadId}.parts`), join(incoming, `${upload.uploadId}.sealed`))
  expect((await store.parts.list(upload))?.map(({ number }) => number)).toEqual([1, 2, 3])
  await expectStored(upload, parts)
})

test('a completion that was interrupted after the file moved is one', async () => {
  const { upload, parts } = await storeAll('moved')
  await store.parts.complete(upload, parts)
  await mkdir(join(incoming, `${upload.uploadId}.sealed`))
  expect(await store.parts.list(upload)).toBeNull()
  await expectStored(upload, parts)
})

test('an upload whose beginning was interrupted is unknown, and is removed', async () => {
  const { upload, parts } = await beginUpload(store, 'begun', contents)
  await rm(join(incoming, `${upload.uploadId}.parts`), { recursive: true })
  await expect(put(upload, parts, 1)).rejects.toThrow(UnknownUpload)
  expect(await store.parts.list(upload)).toBeNull()
  for (const { end } of await collect(store.incomplete())) await end()
  expect(await readdir(incoming)).toEqual([])
})

test('an upload that is aborted while a part arrives keeps nothing of it', async () => {
  const { upload, parts } = await beginUpload(store, 'aborted', contents)
  const { outgoing, body } = await receiver.open(1000)
  const outcome = putPart(store, upload, parts[0] as PartSpec, body).catch((error) => error)
  await store.parts.abort(upload)
  outgoing.end(contents[0])
  expect(await outcome).toBeInstanceOf(UnknownUpload)
  expect(await readdir(incoming)).toEqual([])
})

test('a part that is being sent, or waits for its turn, is not taken by another request of it', async () => {
  const { upload, parts } = await beginUpload(store, 'twice', contents)
  const [first, second] = parts as [PartSpec, PartSpec]
  const rejection = { status: 409, code: 'part_superseded', retryAfter: 2, message: 'This part is being sent already.' }
  const { outgoing, body } = await receiver.open(1000)
  const sending = putPart(store, upload, first, body)
  const late = await receiver.open(1000)
  await expect(store.parts.admit(upload, first, late.body)).rejects.toMatchObject(rejection)
  outgoing.end(contents[0])
  await sending

  const waiting = await receiver.open(1000)
  await store.parts.admit(upload, second, waiting.body)
  await expect(store.parts.admit(upload, second, late.body)).rejects.toMatchObject(rejection)
  expect(late.body.readableFlowing).toBeNull()
  // Its connection has ended: nobody is left who waits.
  waiting.outgoing.destroy()
  await waitFor(() => store.parts.admit(upload, second, late.body), { what: 'it gives way' })
  late.outgoing.destroy()
  await store.parts.abort(upload)
})

test('a request never writes beside one that gave way before and has not ended', async () => {
  const { upload, parts } = await beginUpload(store, 'chain', contents)
  const [first] = parts as [PartSpec]
  const requests = await Promise.all([1, 2, 3].map(() => receiver.open(1000)))
  const [old, gone, next] = requests.map(({ body }) => body) as [IncomingMessage, IncomingMessage, IncomingMessage]
  const admission = await store.parts.admit(upload, first, old)
  old.resume()
  await once(old, 'resume')
  old.destroy()
  const steps: string[] = []
  const admit = (body: IncomingMessage, step: string) =>
    store.parts.admit(upload, first, body).then(() => steps.push(step))
  const second = admit(gone, 'second')
  expect(admission.signal.reason).toMatchObject({ code: 'part_superseded', message: 'This part was sent again.' })
  gone.destroy()
  const third = admit(next, 'third')
  await store.parts.list(upload)
  expect(steps).toEqual([])
  admission.close()
  await Promise.all([second, third])
  for (const { outgoing } of requests) outgoing.destroy()
  await store.parts.abort(upload)
})

test('ids of another store are unknown, and lead nowhere', async () => {
  const { upload, parts } = await beginUpload(store, 'paths', contents)
  const foreign = { ...upload, uploadId: `../incoming/${upload.uploadId}` }
  await expect(put(foreign, parts, 1)).rejects.toThrow(UnknownUpload)
  await expect(store.parts.complete(foreign, parts)).rejects.toThrow(UnknownUpload)
  expect(await store.parts.list(foreign)).toBeNull()
  await store.parts.abort(foreign)
  expect(await store.parts.list(upload)).toEqual([])
  await store.parts.abort(upload)
})

test('neither an upload begins nor a part arrives when only the reserve is left', async () => {
  const { upload, parts } = await beginUpload(store, 'full', contents)
  const full = await openObjectStore(config, { minFreeBytes: 1e15 })
  const rejection = { status: 507, code: 'storage_full' }
  await expect(full.parts.begin('another', 10)).rejects.toMatchObject(rejection)
  const sent = receiver.receive(contents[0] as Buffer, (body) => putPart(full, upload, parts[0] as PartSpec, body))
  await expect(sent).rejects.toMatchObject(rejection)
  expect(await store.parts.list(upload)).toEqual([])
  await store.parts.abort(upload)
})

test('errors of a client or its upload are no errors of the store', async () => {
  const errors = async () => /errors_total\{operation="part_put"[^}]*\} (\d+)/.exec((await renderMetrics()).text)?.[1]
  const before = await errors()
  expect(before).toBeDefined()
  const { upload, parts } = await beginUpload(store, 'client', contents)
  const wrong = receiver.receive(randomBytes(1000), (body) => putPart(store, upload, parts[0] as PartSpec, body))
  await expect(wrong).rejects.toThrow('another SHA-256')
  const slow = await receiver.open(1000)
  const admission = await store.parts.admit(upload, parts[0] as PartSpec, slow.body)
  admission.end(new Error('too slow'))
  await expect(store.parts.put(upload, parts[0] as PartSpec, slow.body, admission)).rejects.toThrow('too slow')
  admission.close()
  slow.outgoing.destroy()
  const { outgoing, body } = await receiver.open(1000)
  const broken = putPart(store, upload, parts[0] as PartSpec, body).catch((error) => error)
  outgoing.destroy()
  expect(await broken).toBeInstanceOf(Error)
  await store.parts.abort(upload)
  await expect(put(upload, parts, 1)).rejects.toThrow(UnknownUpload)
  expect(await errors()).toBe(before)

  const { upload: other, parts: others } = await beginUpload(store, 'outage', contents)
  await rm(join(incoming, `${other.uploadId}.data`))
  await mkdir(join(incoming, `${other.uploadId}.data`))
  await expect(put(other, others, 1)).rejects.toThrow('EISDIR')
  expect(Number(await errors())).toBe(Number(before) + 1)
  await store.parts.abort(other)
})
