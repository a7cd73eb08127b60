import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type ObjectStore, type PartedUpload, PartMismatch, type PartSpec, UnknownUpload } from '@skyfolio/kit'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Backend, collect } from './object-store-contract.ts'

const MiB = 1024 * 1024

/** What `receive` makes of the bodies of requests: the parts of an upload arrive as such. */
export async function openReceiver() {
  const waiting = new Map<string, (body: IncomingMessage) => void>()
  const server = createServer((request) => waiting.get(request.url ?? '')?.(request))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  /** A request that has sent its headers. */
  async function open(length: number) {
    const { promise: body, resolve } = Promise.withResolvers<IncomingMessage>()
    const path = `/${waiting.size}`
    waiting.set(path, resolve)
    const outgoing = httpRequest({ port, path, method: 'PUT', headers: { 'content-length': length } })
    outgoing.on('error', () => {})
    outgoing.flushHeaders()
    return { outgoing, body: await body }
  }

  return {
    open,
    async receive<T>(content: Buffer, work: (body: IncomingMessage) => Promise<T>): Promise<T> {
      const { outgoing, body } = await open(content.length)
      outgoing.end(content)
      return await work(body).finally(() => outgoing.destroy())
    },
    async close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** An upload of these parts, in the sizes in which they are cut. */
export async function beginUpload(store: ObjectStore, key: string, contents: Buffer[]) {
  const size = contents.reduce((sum, { length }) => sum + length, 0)
  const uploadId = await store.parts.begin(key, size)
  const upload: PartedUpload = { key, uploadId, size, partBytes: contents[0]?.length ?? 0 }
  const parts: PartSpec[] = contents.map((content, index) => ({
    number: index + 1,
    bytes: content.length,
    sha256: createHash('sha256').update(content).digest(),
  }))
  return { upload, parts }
}

/** Sends a part as the only request of it. */
export async function putPart(store: ObjectStore, upload: PartedUpload, part: PartSpec, body: IncomingMessage) {
  const admission = await store.parts.admit(upload, part, body)
  await store.parts.put(upload, part, body, admission).finally(admission.close)
}

/** What every store must do with objects that arrive in parts. */
export function testParts(name: string, open: () => Promise<Backend>, available = true): void {
  describe.skipIf(!available)(`parts: ${name}`, () => {
    let backend: Backend
    let store: ObjectStore
    let receiver: Awaited<ReturnType<typeof openReceiver>>
    const contents = [randomBytes(5 * MiB), randomBytes(5 * MiB), randomBytes(1000)]
    const object = Buffer.concat(contents)

    beforeAll(async () => {
      backend = await open()
      store = backend.store
      receiver = await openReceiver()
    })

    afterAll(async () => {
      await receiver?.close()
      await backend?.close()
    })

    /** Sends part `number`, with these bytes instead of its own. */
    const put = (upload: PartedUpload, parts: PartSpec[], number: number, content = contents[number - 1]) =>
      receiver.receive(content as Buffer, (body) => putPart(store, upload, parts[number - 1] as PartSpec, body))
    const read = async (key: string) => {
      const found = await store.get(key)
      return found && (await buffer(found.body))
    }
    const storedNumbers = async (upload: PartedUpload) =>
      (await store.parts.list(upload))?.map(({ number }) => number) ?? null

    test('parts in any order and at the same time become the object', async () => {
      const { upload, parts } = await beginUpload(store, 'originals/order', contents)
      expect(await store.parts.list(upload)).toEqual([])
      await put(upload, parts, 3)
      expect(await store.parts.complete(upload, parts)).toEqual({ missing: [1, 2] })
      await Promise.all([put(upload, parts, 2), put(upload, parts, 1)])
      expect(await store.head('originals/order')).toBeNull()
      const listed = await store.parts.list(upload)
      expect(listed?.map(({ number, bytes, sha256 }) => ({ number, bytes, sha256 }))).toEqual(parts)

      expect(await store.parts.complete(upload, parts)).toEqual({ missing: [] })
      expect((await read('originals/order'))?.equals(object)).toBe(true)
      expect(await collect(store.incomplete())).toEqual([])
    })

    test('a part can be sent again, but only with its own bytes', async () => {
      const { upload, parts } = await beginUpload(store, 'originals/again', contents)
      const other = randomBytes(5 * MiB)
      await expect(put(upload, parts, 1, other)).rejects.toThrow(PartMismatch)
      expect(await storedNumbers(upload)).toEqual([])
      await put(upload, parts, 1)
      await put(upload, parts, 1)
      await expect(put(upload, parts, 1, other)).rejects.toThrow(PartMismatch)
      expect(await storedNumbers(upload)).toEqual([1])
      await put(upload, parts, 2)
      await put(upload, parts, 3)
      await store.parts.complete(upload, parts)
      expect((await read('originals/again'))?.equals(object)).toBe(true)
    })

    test.each([999, 1001])('a part of %i bytes instead of 1000 is rejected unread', async (length) => {
      const { upload, parts } = await beginUpload(store, 'originals/length', contents)
      await expect(put(upload, parts, 3, randomBytes(length))).rejects.toThrow(PartMismatch)
      expect(await storedNumbers(upload)).toEqual([])
      await store.parts.abort(upload)
    })

    test('a file of one short part is an upload too', async () => {
      const { upload, parts } = await beginUpload(store, 'originals/short', [Buffer.from('short')])
      await put(upload, parts, 1, Buffer.from('short'))
      await store.parts.complete(upload, parts)
      expect((await read('originals/short'))?.toString()).toBe('short')
    })

    test('nothing changes an object after its completion', async () => {
      const { upload, parts } = await beginUpload(store, 'originals/done', contents)
      for (const number of [1, 2, 3]) await put(upload, parts, number)
      await Promise.all([store.parts.complete(upload, parts), store.parts.complete(upload, parts)])
      await expect(put(upload, parts, 1)).rejects.toThrow(UnknownUpload)
      await expect(put(upload, parts, 1, randomBytes(5 * MiB))).rejects.toThrow(UnknownUpload)
      expect(await store.parts.list(upload)).toBeNull()
      await store.parts.abort(upload)
      expect(await store.parts.complete(upload, parts)).toEqual({ missing: [] })
      expect((await read('originals/done'))?.equals(object)).toBe(true)
    })

    test('an aborted upload is unknown, and so is one that was never begun', async () => {
      const { upload, parts } = await beginUpload(store, 'originals/aborted', contents)
      await put(upload, parts, 1)
      await store.parts.abort(upload)
      for (const gone of [upload, { ...upload, uploadId: 'f'.repeat(32) }]) {
        await expect(put(gone, parts, 2)).rejects.toThrow(UnknownUpload)
        await expect(put(gone, parts, 1)).rejects.toThrow(UnknownUpload)
        expect(await store.parts.list(gone)).toBeNull()
        await expect(store.parts.complete(gone, parts)).rejects.toThrow(UnknownUpload)
        await store.parts.abort(gone)
      }
      expect(await store.head('originals/aborted')).toBeNull()
    })

    test('nothing remains of a part that breaks off, and the others stay', async () => {
      const { upload, parts } = await beginUpload(store, 'originals/broken', contents)
      await put(upload, parts, 1)
      const { outgoing, body } = await receiver.open(5 * MiB)
      const outcome = putPart(store, upload, parts[1] as PartSpec, body).catch((error) => error)
      outgoing.write(contents[1]?.subarray(0, 3 * MiB), () => outgoing.destroy())
      expect(await outcome).toMatchObject({ code: expect.stringMatching(/ECONNRESET|PREMATURE_CLOSE/) })
      expect(await storedNumbers(upload)).toEqual([1])
      await put(upload, parts, 2)
      await put(upload, parts, 3)
      await store.parts.complete(upload, parts)
      expect((await read('originals/broken'))?.equals(object)).toBe(true)
    })

    test('a part is stored while an earlier request of it hangs, which cannot spoil it', async () => {
      const { upload, parts } = await beginUpload(store, 'originals/hanging', contents)
      const [first] = parts as [PartSpec]
      const { outgoing, body } = await receiver.open(5 * MiB)
      const hanging = putPart(store, upload, first, body).catch((error) => error)
      outgoing.write(randomBytes(3 * MiB))
      const next = await receiver.open(5 * MiB)
      // At once, or when nothing has arrived for some seconds.
      const admission = await waitFor(() => store.parts.admit(upload, first, next.body), { what: 'it gives way' })
      next.outgoing.end(contents[0])
      await store.parts.put(upload, first, next.body, admission)
      admission.close()
      for (const number of [2, 3]) await put(upload, parts, number)
      await store.parts.complete(upload, parts)
      outgoing.destroy()
      expect(await hanging).toBeInstanceOf(Error)
      expect((await read('originals/hanging'))?.equals(object)).toBe(true)
    })

    test('other bytes do no harm to a part that is being sent', async () => {
      const { upload, parts } = await beginUpload(store, 'originals/meanwhile', contents)
      const { outgoing, body } = await receiver.open(5 * MiB)
      const sending = putPart(store, upload, parts[0] as PartSpec, body)
      outgoing.write(contents[0]?.subarray(0, 3 * MiB))
      await expect(put(upload, parts, 1, randomBytes(5 * MiB))).rejects.toThrow()
      outgoing.end(contents[0]?.subarray(3 * MiB))
      await sending
      for (const number of [2, 3]) await put(upload, parts, number)
      expect(await store.parts.complete(upload, parts)).toEqual({ missing: [] })
      expect((await read('originals/meanwhile'))?.equals(object)).toBe(true)
    })

    test('nothing remains of a part that is ended, and its connection stays open', async () => {
      const { upload, parts } = await beginUpload(store, 'originals/ended', contents)
      const { outgoing, body } = await receiver.open(5 * MiB)
      const admission = await store.parts.admit(upload, parts[0] as PartSpec, body)
      const outcome = store.parts.put(upload, parts[0] as PartSpec, body, admission).catch((error) => error)
      outgoing.write(contents[0]?.subarray(0, 3 * MiB))
      await waitFor(() => body.readableFlowing, { what: 'it is read' })
      const reason = new Error('too slow')
      admission.end(reason)
      expect(await outcome).toBe(reason)
      admission.close()
      expect(body.destroyed).toBe(false)
      outgoing.destroy()
      expect(await storedNumbers(upload)).toEqual([])
      await put(upload, parts, 1)
      expect(await storedNumbers(upload)).toEqual([1])
      await store.parts.abort(upload)
    })

    test('an unfinished upload is listed by its id, and can be ended', async () => {
      const { upload, parts } = await beginUpload(store, 'originals/unfinished', contents)
      await put(upload, parts, 2)
      const found = (await collect(store.incomplete())).find(({ id }) => id === upload.uploadId)
      expect(Math.abs(Date.now() - (found?.startedAt.getTime() ?? 0))).toBeLessThan(60_000)
      await found?.end()
      expect(await store.parts.list(upload)).toBeNull()
      expect(await collect(store.incomplete())).toEqual([])
    })

    test('uploads that end while they are listed are no error', async () => {
      const keys = Array.from({ length: 20 }, (_, index) => `originals/listed${index}`)
      const begun = await Promise.all(keys.map((key) => beginUpload(store, key, contents)))
      const listed = collect(store.incomplete())
      await Promise.all(begun.map(({ upload }) => store.parts.abort(upload)))
      for (const { end } of await listed) await end()
      expect(await collect(store.incomplete())).toEqual([])
    })

    test('an upload of a wrong key cannot begin', async () => {
      await expect(store.parts.begin('../outside', 10)).rejects.toThrow('not an object key')
    })
  })
}
