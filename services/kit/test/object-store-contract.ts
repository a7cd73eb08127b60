import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type ObjectStore, type ObjectStoreConfig, openObjectStore } from '@skyfolio/kit'
import { MINIO_CREDENTIALS, type TestServer, waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const MiB = 1024 * 1024

export interface Backend {
  store: ObjectStore
  close(): Promise<void>
}

/** The settings of a store on an S3 server that the test harness started. */
export const s3Config = ({ url }: Pick<TestServer, 'url'>): ObjectStoreConfig => ({
  s3Endpoint: url,
  s3Region: 'us-east-1',
  s3Bucket: 'photos',
  s3AccessKey: MINIO_CREDENTIALS.accessKey,
  s3SecretKey: MINIO_CREDENTIALS.secretKey,
})

/** A store on an S3 server of the test's own. */
export async function s3Backend(starting: Promise<TestServer>): Promise<Backend> {
  const server = await starting
  const store = await openObjectStore(s3Config(server))
  // MinIO says that it is ready before it is.
  await waitFor(() => store.check().then(() => true), { what: 'the store works' })
  return { store, close: () => server.stop() }
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

/** What every object store must do. */
export function testObjectStore(name: string, open: () => Promise<Backend>, available = true): void {
  describe(`object store: ${name}`, () => {
    let backend: Backend
    let store: ObjectStore

    beforeAll(async () => {
      if (!available) return
      backend = await open()
      store = backend.store
    })

    afterAll(() => backend?.close())

    const it = test.skipIf(!available)
    const jpeg = { contentType: 'image/jpeg' }
    const put = (key: string, content: Buffer) => store.put(key, Readable.from([content]), jpeg)
    const read = async (key: string, range?: { start: number; end?: number }) => {
      const found = await store.get(key, range)
      return found && { size: found.size, bytes: await buffer(found.body) }
    }

    it.each([0, 1, 5 * MiB, 8 * MiB, 8 * MiB + 1, 20 * MiB])('returns %i bytes as they were stored', async (size) => {
      const content = randomBytes(size)
      expect(await put(`sizes/${size}`, content)).toEqual({ size })
      expect(await store.head(`sizes/${size}`)).toEqual({ size })
      const found = await read(`sizes/${size}`)
      expect(found?.size).toBe(size)
      expect(found?.bytes.equals(content)).toBe(true)
    })

    it('replaces an object as a whole', async () => {
      await put('replaced', randomBytes(100))
      await put('replaced', Buffer.from('new'))
      expect((await read('replaced'))?.bytes.toString()).toBe('new')
    })

    it('reads ranges, both ends included, and returns the size of the whole', async () => {
      await put('range', Buffer.from('0123456789'))
      expect((await read('range', { start: 2, end: 4 }))?.bytes.toString()).toBe('234')
      expect((await read('range', { start: 7 }))?.bytes.toString()).toBe('789')
      expect(await read('range', { start: 0, end: 0 })).toEqual({ size: 10, bytes: Buffer.from('0') })
    })

    it('returns null for a missing key', async () => {
      expect(await store.head('missing')).toBeNull()
      expect(await store.get('missing')).toBeNull()
      expect(await store.head('a/missing/one')).toBeNull()
    })

    it('removes an object, also twice', async () => {
      await put('removed/one', Buffer.from('x'))
      await store.remove('removed/one')
      await store.remove('removed/one')
      expect(await store.head('removed/one')).toBeNull()
    })

    it('lists the objects of a prefix in order, with size and time', async () => {
      const begun = Date.now()
      await put('list/a/1', Buffer.from('1'))
      await put('list/a/2', Buffer.from('22'))
      await put('list/ab', Buffer.from('333'))
      await put('list/a-b', Buffer.from('4444'))
      await put('listed-elsewhere', Buffer.from('x'))
      const listed = async (prefix: string) => {
        const found = await collect(store.list(prefix))
        return found.map(({ key, size }) => `${key} ${size}`)
      }
      expect(await listed('list/')).toEqual(['list/a-b 4', 'list/a/1 1', 'list/a/2 2', 'list/ab 3'])
      expect(await listed('list/a/')).toEqual(['list/a/1 1', 'list/a/2 2'])
      expect(await listed('list/a')).toEqual(['list/a-b 4', 'list/a/1 1', 'list/a/2 2', 'list/ab 3'])
      expect(await listed('nothing/')).toEqual([])
      expect(await listed('')).toContain('listed-elsewhere 1')
      const [first] = await collect(store.list('list/ab'))
      expect(Math.abs((first?.modifiedAt.getTime() ?? 0) - begun)).toBeLessThan(60_000)
    })

    it.each([100, 9 * MiB, 17 * MiB])('keeps nothing of a stream that breaks off after %i bytes', async (size) => {
      async function* breaking() {
        yield randomBytes(size)
        throw new Error('the client went away')
      }
      await expect(store.put('broken', Readable.from(breaking()), jpeg)).rejects.toThrow('the client went away')
      expect(await store.head('broken')).toBeNull()
      expect(await collect(store.incomplete())).toEqual([])
    })

    it('lists an unfinished upload, and aborts it', async () => {
      const sent = Promise.withResolvers<void>()
      const goOn = Promise.withResolvers<void>()
      // Asked for its next chunk only when the one before is stored: a stream would read ahead.
      async function* waiting() {
        yield randomBytes(16 * MiB)
        sent.resolve()
        await goOn.promise
        yield randomBytes(MiB)
      }
      const outcome = store.put('unended', waiting() as unknown as Readable, jpeg).then(
        () => 'stored',
        () => 'failed',
      )
      await sent.promise
      const [upload] = await collect(store.incomplete())
      expect(Math.abs(Date.now() - (upload?.startedAt.getTime() ?? 0))).toBeLessThan(60_000)
      await upload?.end()
      goOn.resolve()
      expect(await outcome).toBe('failed')
      expect(await store.head('unended')).toBeNull()
      expect(await collect(store.incomplete())).toEqual([])
    })

    it('keeps the old object when its replacement breaks off', async () => {
      await put('kept', Buffer.from('old'))
      async function* breaking() {
        yield Buffer.from('ne')
        throw new Error('the client went away')
      }
      await expect(store.put('kept', Readable.from(breaking()), jpeg)).rejects.toThrow('the client went away')
      expect((await read('kept'))?.bytes.toString()).toBe('old')
    })

    it.each([
      '',
      '/',
      '/etc/passwd',
      '../outside',
      'a/../../outside',
      'a//b',
      'a/',
      './a',
      '.hidden',
      'a\\b',
      'a\0b',
      'a b',
    ])('rejects the key %j', async (key) => {
      await expect(store.put(key, Readable.from([]), jpeg)).rejects.toThrow('not an object key')
      await expect(store.get(key)).rejects.toThrow('not an object key')
      await expect(store.head(key)).rejects.toThrow('not an object key')
      await expect(store.remove(key)).rejects.toThrow('not an object key')
    })

    it('stores 256 MiB in constant memory', async () => {
      const chunk = randomBytes(MiB / 4)
      const before = process.memoryUsage().arrayBuffers
      let most = 0
      async function* large() {
        for (let count = 0; count < 1024; count++) {
          yield chunk
          most = Math.max(most, process.memoryUsage().arrayBuffers - before)
        }
      }
      expect(await store.put('large', Readable.from(large()), jpeg)).toEqual({ size: 256 * MiB })
      expect(most).toBeLessThan(80 * MiB)
      await store.remove('large')
    }, 60_000)

    it('passes its check', async () => {
      await store.check()
    })
  })
}
