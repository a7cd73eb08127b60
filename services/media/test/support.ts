import { type ChildProcess, spawn } from 'node:child_process'
import { hash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  connectNats,
  createLifetime,
  createLogger,
  emit,
  ensureStreams,
  type Identity,
  loadConfig,
  openObjectStore,
  openPool,
  openRedis,
  serveRequests,
} from '@skyfolio/kit'
import { events, folderAccess } from '@skyfolio/proto'
import {
  createTestDatabase,
  identityHeaders,
  startNats,
  startRedis,
  TEST_IDENTITY_KEYS,
  TEST_LINK_KEYS,
  testDirectory,
  waitFor,
} from '@skyfolio/testkit'
import sharp from 'sharp'
import { apiSettings } from '../src/config.ts'
import { openDatabase } from '../src/database.ts'
import type { Photo } from '../src/generated/client.ts'
import { startOf } from '../src/jobs/job-rows.ts'
import { openQueues } from '../src/jobs/queues.ts'
import type { PhotoResponse } from '../src/photos/photo-response.ts'
import { type ProcessingResult, saveResult } from '../src/processing/save-result.ts'
import { createFolders } from '../src/projection/folders.ts'
import { type MediaOptions, startMedia } from '../src/service.ts'
import type { WorkerOptions } from '../src/worker.ts'

export const PUBLIC_ORIGIN = 'https://skyfolio.test'
export const PRINT_IMAGE_KEYS = 'a-key-that-signs-the-print-images-of-tests'

/** So that tests with workers that end do not wait for long. */
const WORKER_OPTIONS: WorkerOptions = { lockMs: 5_000, scanSeconds: 1 }
/** Filter of the outbox: events about usage may come at any time. */
export const PHOTO_EVENTS = { subject: { startsWith: 'media.photo.' } }

interface Options {
  /** Servers that the test stops itself; new ones are started by default. */
  natsUrl?: string
  redisUrl?: string
  databaseUrl?: string
  /** Receives each log line from level info on. By default nothing is logged. */
  onLog?: (line: string) => void
  /** Further environment variables. */
  env?: Record<string, string>
  /** Limits and times that are no settings. */
  api?: MediaOptions
  worker?: WorkerOptions
  store?: Parameters<typeof openObjectStore>[1]
}

export interface UploadFile {
  name: string
  bytes: Buffer
}

interface FolderState {
  id: number
  userId: number
  isPublic: boolean
  revision: number
  visibilityRevision: number
  ownerSuspended?: boolean
  /** Of its main link. */
  linkRevision?: number
  shareCode?: string
  /** What differs from the defaults of a main link; `links` replaces it. */
  link?: Partial<TestLink>
  links?: Partial<TestLink>[]
}

interface TestLink {
  id: number
  code: string
  revision: number
  passwordRevision: number
  showPlaces: boolean
  showCamera: boolean
  downloads: 'none' | 'web' | 'original'
}

function linksOf({ id, shareCode = `code-of-${id}`, linkRevision = 1, link = {}, links = [link] }: FolderState) {
  const main = {
    id,
    code: shareCode,
    revision: linkRevision,
    showPlaces: true,
    showCamera: true,
    downloads: 'original',
  }
  return links.map((changes) => ({ ...main, ...changes }))
}

/** Starts the media API on real servers, called over HTTP like by the gateway. */
export async function startTestMedia(options: Options = {}) {
  const ownNats = options.natsUrl ? null : await startNats()
  const ownRedis = options.redisUrl ? null : await startRedis()
  const database = options.databaseUrl ? null : await createTestDatabase('media')
  const env = {
    PORT: '0',
    OPS_PORT: '0',
    LOG_LEVEL: 'silent',
    NATS_URL: options.natsUrl ?? ownNats?.url,
    REDIS_URL: options.redisUrl ?? ownRedis?.url,
    DATABASE_URL: options.databaseUrl ?? database?.url,
    IDENTITY_KEYS: TEST_IDENTITY_KEYS.join(','),
    PUBLIC_ORIGIN: PUBLIC_ORIGIN,
    PRINT_IMAGE_KEYS,
    LINK_KEYS: TEST_LINK_KEYS.join(','),
    ...(!options.env?.S3_ENDPOINT && { OBJECT_STORE_DIR: join(testDirectory(), `objects-${randomUUID()}`) }),
    ...options.env,
  }
  const config = loadConfig(apiSettings, env)
  const { onLog } = options
  const life = createLifetime(onLog ? createLogger('media', 'info', { write: onLog }) : createLogger('media', 'silent'))
  const pool = openPool(config.databaseUrl)
  life.defer('database', () => pool.end())
  const db = openDatabase(pool)
  const store = await openObjectStore(config, options.store)
  const nats = await connectNats(config.natsUrl, 'media-test')
  life.defer('nats', () => nats.close())
  await ensureStreams(nats, events)
  const app = await startMedia(life, { pool, nats, store }, config, options.api)
  life.defer('http', () => app.close())
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const queues = openQueues(life, config.redisUrl)
  const redis = openRedis(config.redisUrl, 'test')
  life.defer('redis of the test', () => redis.disconnect())
  const workers = new Set<ChildProcess>()
  const worker = { db, folders: createFolders(db, nats) }

  async function call(path: string, who: Partial<Identity> = {}, init: RequestInit = {}): Promise<Response> {
    return fetch(origin + path, { ...init, headers: { ...identityHeaders(who), ...(init.headers as object) } })
  }

  async function keys(): Promise<string[]> {
    const found: string[] = []
    for await (const { key } of store.list('')) found.push(key)
    return found.sort()
  }

  return {
    app,
    pool,
    db,
    /** What a worker saves results with. */
    worker,
    /** The environment of the processes. */
    env: env as Record<string, string>,
    nats,
    queues,
    redis,
    store,
    origin,
    call,
    keys,

    /** Sends a form with these entries in this order: texts as fields, files as files. */
    async send(path: string, who: Partial<Identity>, entries: [string, string | UploadFile][]) {
      const body = new FormData()
      for (const [name, value] of entries) {
        if (typeof value === 'string') body.append(name, value)
        else body.append(name, new Blob([new Uint8Array(value.bytes)]), value.name)
      }
      const response = await call(path, who, { method: 'POST', body })
      // biome-ignore lint/suspicious/noExplicitAny: the tests state what they expect
      return { status: response.status, body: (await response.json()) as any }
    },

    /** The state of a picture by its URL; requested again while its confirmation is late, as the gateway does. */
    async pictureState(url: string, who: Partial<Identity> = {}): Promise<Response> {
      const path = url.replace('/api/uploads/', '/picture-states/')
      for (let attempt = 1; ; attempt += 1) {
        const response = await call(path, who)
        if (response.status !== 503 || attempt === 5) return response
      }
    },

    /** Uploads one valid photo. */
    async upload(userId: number, fields: Record<string, string> = {}, bytes?: Buffer): Promise<PhotoResponse> {
      const file = { name: 'photo.jpg', bytes: bytes ?? (await jpeg()) }
      const uploaded = await this.send('/api/upload-photo', user(userId), [...Object.entries(fields), ['photo', file]])
      if (uploaded.status !== 201) throw new Error(`upload rejected: ${JSON.stringify(uploaded)}`)
      return uploaded.body
    },

    async json<T>(path: string, who: Partial<Identity>, method = 'GET', body?: unknown): Promise<T> {
      const init =
        body === undefined
          ? { method }
          : { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
      const response = await call(path, who, init)
      return (await response.json()) as T
    },

    photo: (id: number) => db.photo.findUniqueOrThrow({ where: { id } }),

    /** Starts on a photo as a worker does. */
    async startOn(id: number): Promise<Photo> {
      const [photo] = await db.photo.updateManyAndReturn(startOf('photos', await this.photo(id)))
      if (!photo) throw new Error('there is nothing to process')
      return photo
    },

    /** Saves a result of processing as a worker does. */
    save: (photo: Photo, result: ProcessingResult) => saveResult(worker, photo, result),

    /** Waits until the worker has processed a photo. */
    processed: (id: number) =>
      waitFor(async () => (await db.photo.findUnique({ where: { id, status: { not: 'processing' } } })) ?? false, {
        what: `photo ${id} is processed`,
        timeoutMs: 90_000,
      }),

    /** Responds to media's requests from a map that the test may change; folders of other tests are not in it. */
    folders() {
      const known = new Map<number, FolderState>()
      const asked: number[] = []
      const voted = new Set<number>()
      const state = { async beforeVotes(_photoIds: number[]): Promise<void> {} }
      const listener = serveRequests(nats, folderAccess, async ({ folderId, shareCode, photoIds }) => {
        asked.push(folderId)
        if (photoIds.length > 0) await state.beforeVotes(photoIds)
        const isAsked = (one: FolderState) => one.id === folderId || linksOf(one).some(({ code }) => code === shareCode)
        const folder = [...known.values()].find(isAsked)
        if (!folder) return { found: false }
        const { id, links: _links, link: _link, ...access } = folder
        const links = linksOf(folder).map(({ code, ...link }) => ({
          ...link,
          codeHash: hash('sha256', code, 'buffer'),
        }))
        const votedPhotoIds = photoIds.filter((photoId) => voted.has(photoId))
        const lastLinkRevision = Math.max(0, ...links.map(({ revision }) => revision))
        return { found: true, folderId: id, name: `Folder ${id}`, ...access, lastLinkRevision, links, votedPhotoIds }
      })
      return {
        known,
        asked,
        /** Photos with votes, and what happens before media is told. */
        voted,
        state,
        stop: listener.stop,
        set(id: number, userId: number, isPublic: boolean, revision = 1) {
          known.set(id, { id, userId, isPublic, revision, visibilityRevision: revision })
        },
        /** Publishes an event of a folder to media. */
        async announce(id: number) {
          const folder = known.get(id)
          if (!folder) throw new Error(`no folder ${id}`)
          await emit(db, events.folderChanged, { folder: { ...folder, name: 'Folder' }, revision: folder.revision })
          await waitFor(() => db.folder.findFirst({ where: { id, revision: { gte: folder.revision } } }), {
            what: 'the folder is known',
          })
        },
        async announceDeleted(id: number, userId: number, revision = 100) {
          known.delete(id)
          await emit(db, events.folderDeleted, { folderId: id, userId, revision })
          await waitFor(() => db.folder.findFirst({ where: { id, deleted: true } }), { what: 'the folder is gone' })
        },
      }
    },

    /** Starts a real worker process. */
    startWorker(): ChildProcess {
      const file = fileURLToPath(new URL('./fixtures/worker-process.ts', import.meta.url))
      const child = spawn(process.execPath, [file, JSON.stringify({ ...WORKER_OPTIONS, ...options.worker })], {
        env: { ...process.env, ...env } as NodeJS.ProcessEnv,
        stdio: ['ignore', 'inherit', 'inherit'],
      })
      workers.add(child)
      child.once('exit', () => workers.delete(child))
      return child
    },

    async close() {
      for (const worker of workers) {
        worker.kill('SIGKILL')
        await once(worker, 'exit')
      }
      await life.close()
      await database?.drop()
      await ownNats?.stop()
      await ownRedis?.stop()
    },
  }
}

export type TestMedia = Awaited<ReturnType<typeof startTestMedia>>

/** A signed-in user. */
export function user(userId: number): Partial<Identity> {
  return { userId, username: `user-${userId}`, sessionHash: 'a-session' }
}

export const admin: Partial<Identity> = { ...user(999), isAdmin: true }
export const visitor: Partial<Identity> = {}

/** A small valid JPEG, a different file each time: it contains a numbered comment. */
export async function jpeg(width = 320, height = 300): Promise<Buffer> {
  const image = await sharp({ create: { width, height, channels: 3, background: '#3060a0' } })
    .jpeg()
    .toBuffer()
  const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, 38]), Buffer.from(randomUUID())])
  return Buffer.concat([image.subarray(0, 2), comment, image.subarray(2)])
}

/** A valid JPEG of exactly this many bytes: bytes after its end are not part of the image. */
export async function jpegOfSize(bytes: number): Promise<Buffer> {
  const image = await jpeg()
  return Buffer.concat([image, Buffer.alloc(bytes - image.length)])
}
