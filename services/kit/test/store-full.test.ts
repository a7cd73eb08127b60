import { randomBytes, randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import {
  isStorageFull,
  isUnavailable,
  type ObjectStore,
  openObjectStore,
  type PartSpec,
  toAppError,
} from '@skyfolio/kit'
import { hasMinio, mountSmallFileSystem, testDirectory, waitFor } from '@skyfolio/testkit'
import { type RunningServer, startMinio } from '@skyfolio/testkit/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collect, s3Config } from './object-store-contract.ts'
import { beginUpload, openReceiver, putPart } from './object-store-parts-contract.ts'

const MiB = 1024 * 1024
const jpeg = { contentType: 'image/jpeg' }
const upload = { ...jpeg, leavesReserve: true }
const noS3 = { s3Region: '' }
const bytes = (count: number) => Readable.from([randomBytes(count)])

/** A photo as the network brings it. */
function* chunks(megabytes: number) {
  for (let count = 0; count < megabytes; count += 1) yield randomBytes(MiB)
}

const sizeOf = async (store: ObjectStore, key: string) => {
  const found = await store.get(key)
  return found && (await buffer(found.body)).length
}

async function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.unreachable('it was stored'),
    (error) => error,
  )
}

test('a directory with less free space than its reserve rejects uploads, and does everything else', async () => {
  const objectStoreDir = join(testDirectory(), `full-${randomUUID()}`)
  const store = await openObjectStore({ objectStoreDir, ...noS3 }, { minFreeBytes: 1e15 })
  const error = await errorOf(store.put('photo', bytes(10), upload))
  expect(error).toMatchObject({ status: 507, code: 'storage_full' })
  expect(isStorageFull(error) && isUnavailable(error)).toBe(true)
  expect(await collect(store.list(''))).toEqual([])
  expect(await readdir(join(objectStoreDir, 'incoming'))).toEqual([])

  await store.put('rendition', bytes(10), jpeg)
  expect(await sizeOf(store, 'rendition')).toBe(10)
  await store.check()
  await store.remove('rendition')
  expect(await store.head('rendition')).toBeNull()
})

test('a busy S3 server is not a full one', () => {
  expect(isStorageFull(Object.assign(new Error('Please reduce your request rate.'), { code: 'SlowDown' }))).toBe(false)
  const full = Object.assign(new Error('disk full'), { code: '53100' })
  expect(toAppError(new Error('commit failed', { cause: full }))).toMatchObject({ status: 507, code: 'storage_full' })
})

const small = mountSmallFileSystem(24)
if (!small) console.log('NOT TRIED: stores on a full file system (root may mount one)')

if (small)
  describe('on a small file system', () => {
    afterAll(() => small.close())

    test('a directory that becomes full keeps nothing of an object, and what it had', async () => {
      const objectStoreDir = small.path
      const config = { objectStoreDir, ...noS3 } as const
      const store = await openObjectStore(config, { minFreeBytes: 4 * MiB })
      await store.put('first', bytes(2 * MiB), upload)
      // It becomes too full while this one is written.
      const tooLarge = await errorOf(store.put('second', Readable.from(chunks(21)), upload))
      expect(tooLarge).toMatchObject({ status: 507 })
      await store.put('third', bytes(14 * MiB), upload)
      await store.put('fourth', bytes(3 * MiB), upload)
      const late = await errorOf(store.put('fifth', bytes(2 * MiB), upload))
      expect(late).toMatchObject({ status: 507 })

      // What need not leave the reserve takes it, up to the end of the disk.
      const end = await errorOf(store.put('sixth', Readable.from(chunks(8)), jpeg))
      expect(end).toMatchObject({ code: 'ENOSPC' })
      expect(isStorageFull(end)).toBe(true)
      expect(toAppError(end)).toMatchObject({ status: 507, code: 'storage_full' })
      expect((await collect(store.list(''))).map(({ key }) => key)).toEqual(['first', 'fourth', 'third'])
      expect(await collect(store.incomplete())).toEqual([])

      expect(await sizeOf(store, 'first')).toBe(2 * MiB)
      await store.check()
      await store.remove('third')
      await store.put('seventh', bytes(MiB), upload)
      expect(await sizeOf(store, 'seventh')).toBe(MiB)
    })
  })

const minio = await hasMinio()

const disk = minio && process.env.SKYFOLIO_RUNTIME !== 'docker' ? mountSmallFileSystem(96) : null

if (disk)
  describe('MinIO on a small file system', () => {
    let server: RunningServer
    let store: ObjectStore
    let receiver: Awaited<ReturnType<typeof openReceiver>>
    beforeAll(async () => {
      receiver = await openReceiver()
      server = await startMinio({ dataDir: join(disk.path, 'minio') })
      store = await openObjectStore(s3Config(server))
    })
    afterAll(async () => {
      await receiver.close()
      await server?.stop()
      disk.close()
    })

    test.each([4, 20])('rejects an object of %i MiB when it is full, and serves what it had', async (size) => {
      await store.put(`kept-${size}`, bytes(MiB), jpeg)
      const content = randomBytes(size * MiB)
      const { upload, parts } = await beginUpload(store, `parts-${size}`, [content])
      let count = 0
      // The request that takes the last bytes can get a 500, which is an outage; the next ones hear the reason.
      const rejection = () => {
        count += 1
        return store.put(`fill-${size}-${count}`, Readable.from(chunks(size)), jpeg).then(
          () => null,
          (error) => isStorageFull(error) && error,
        )
      }
      const error = await waitFor(rejection, { what: 'MinIO is full', timeoutMs: 30_000 })
      expect(toAppError(error)).toMatchObject({ status: 507 })
      const sent = receiver.receive(content, (body) => putPart(store, upload, parts[0] as PartSpec, body))
      expect(toAppError(await errorOf(sent))).toMatchObject({ status: 507 })
      expect(await store.parts.list(upload)).toEqual([])
      await store.parts.abort(upload)
      expect(await collect(store.incomplete())).toEqual([])
      expect(await sizeOf(store, `kept-${size}`)).toBe(MiB)
      for (const { key } of await collect(store.list('fill-'))) await store.remove(key)
      // It knows the free space of a moment ago.
      await waitFor(() => store.put(`again-${size}`, bytes(MiB), jpeg), { what: 'MinIO has room again' })
    })
  })
