import { randomBytes } from 'node:crypto'
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import {
  type App,
  connectNats,
  createLifetime,
  createLinkCookies,
  createLogger,
  ensureStreams,
  type Identity,
  type Logger,
  metrics,
  openPool,
} from '@skyfolio/kit'
import { events, PhotoSchema, PhotoStatus } from '@skyfolio/proto'
import { createTestDatabase, identityHeaders, startNats, TEST_IDENTITY_KEYS, TEST_LINK_KEYS } from '@skyfolio/testkit'
import { onTestFinished } from 'vitest'
import { type Database, openDatabase } from '../src/database.ts'
import { savePhoto } from '../src/projection/photos.ts'
import { startFolders } from '../src/service.ts'
import { createVoterIdentity } from '../src/voting/voter-identity.ts'

export const VOTER_KEY = 'the-key-that-hashes-the-voters-of-tests'

export const TEST_BURST = { ballots: 5, seconds: 10 }
export const TEST_CROWD = { ballots: 12, seconds: 3600 }
export const TEST_ALIKE = { ballots: 20, seconds: 3600 }

export type Nats = Awaited<ReturnType<typeof connectNats>>

/** A system under test: database, NATS and replicas of the service. */
export interface TestSystem {
  databaseUrl: string
  pool: ReturnType<typeof openPool>
  database: Database
  nats: Nats
  natsUrl: string
  /** One more replica of the service. */
  start(changes?: {
    identityKeys?: string[]
    voterKeys?: string[]
    linkKeys?: string[]
    maxFolders?: number
    logger?: Logger
    secureCookies?: boolean
  }): Promise<App>
  close(): Promise<void>
}

/** A private database and NATS; `start` adds replicas of the service. */
export async function openTestSystem(given: { databaseUrl?: string } = {}): Promise<TestSystem> {
  const testDatabase = given.databaseUrl ? null : await createTestDatabase('folders')
  const databaseUrl = given.databaseUrl ?? (testDatabase?.url as string)
  const server = await startNats()
  const nats = await connectNats(server.url, 'test')
  await ensureStreams(nats, events)
  const pool = openPool(databaseUrl)
  const lives: ReturnType<typeof createLifetime>[] = []
  return {
    databaseUrl,
    pool,
    database: openDatabase(pool),
    nats,
    natsUrl: server.url,
    async start({ logger = createLogger('folders', 'silent'), ...changes } = {}) {
      const life = createLifetime(logger)
      lives.push(life)
      const own = openPool(databaseUrl)
      life.defer('database', () => own.end())
      const app = await startFolders(life, {
        pool: own,
        nats,
        identityKeys: TEST_IDENTITY_KEYS,
        voterKeys: [VOTER_KEY],
        linkKeys: TEST_LINK_KEYS,
        secureCookies: false,
        flagRules: { burst: TEST_BURST, crowd: TEST_CROWD, alike: TEST_ALIKE },
        ...changes,
      })
      life.defer('http', () => app.close())
      return app
    },
    async close() {
      for (const life of lives) await life.close()
      await pool.end()
      await nats.close()
      await server.stop()
      await testDatabase?.drop()
    },
  }
}

let lastUser = 0

/** A user that no other test of the file uses. */
export function newUser(): { userId: number; headers: Record<string, string> } {
  lastUser += 1
  return { userId: lastUser, headers: asUser(lastUser) }
}

export function asUser(userId: number, more: Partial<Identity> = {}): Record<string, string> {
  return identityHeaders({ userId, username: `user${userId}`, sessionHash: 'hash', ...more })
}

export const visitor = (more: Partial<Identity> = {}) => identityHeaders(more)

/** Calls a route; parses a JSON body. */
export async function call(
  app: App,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  url: string,
  options: { headers?: Record<string, string>; body?: object } = {},
) {
  const response = await app.inject({
    method,
    url,
    headers: options.headers ?? visitor(),
    ...(options.body && { payload: options.body }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  const body: any = /json/.test(`${response.headers['content-type']}`) ? response.json() : response.body
  return { status: response.statusCode, headers: response.headers, body }
}

/** What a browser sends back of a cookie that the response sets; undefined if it sets none of that name. */
export function cookieOf({ headers }: Awaited<ReturnType<typeof call>>, name: string): string | undefined {
  const set = [headers['set-cookie'] ?? []].flat().find((cookie) => cookie.startsWith(`${name}=`))
  return set?.split(';')[0]
}

/** Creates a folder and returns the response body. */
export async function makeFolder(app: App, user: { headers: Record<string, string> }, fields: object = {}) {
  const made = await call(app, 'POST', '/api/folders', { headers: user.headers, body: { name: 'Lake', ...fields } })
  if (made.status !== 201) throw new Error(`folder not made: ${JSON.stringify(made.body)}`)
  return made.body as { id: number; shareCode: string; userId: number }
}

/** Creates a further link of a folder and returns the response body; by default one to vote. */
export async function makeLink(app: App, user: { headers: Record<string, string> }, folderId: number, fields = {}) {
  const body = { name: 'Club', kind: 'vote', ...fields }
  const made = await call(app, 'POST', `/api/folders/${folderId}/links`, { headers: user.headers, body })
  if (made.status !== 201) throw new Error(`link not made: ${JSON.stringify(made.body)}`)
  return made.body as { id: number; code: string }
}

let lastPhoto = 0

/** The state of a photo as in an event of media's. */
export function photoState(fields: MessageInitShape<typeof PhotoSchema>) {
  lastPhoto += 1
  return create(PhotoSchema, {
    id: lastPhoto,
    title: `Photo ${lastPhoto}`,
    filename: `${randomBytes(8).toString('hex')}.jpg`,
    originalName: 'DJI_0001.JPG',
    filesize: 5_000_000,
    createdAt: timestampFromDate(new Date(Date.UTC(2026, 0, 1, 0, 0, lastPhoto))),
    status: PhotoStatus.READY,
    ...fields,
  })
}

/** Stores a photo in the projection, like its event. */
export async function putPhoto(
  system: TestSystem,
  fields: MessageInitShape<typeof PhotoSchema>,
  revision = 1,
): Promise<number> {
  const photo = photoState(fields)
  await system.database.$transaction((tx) => savePhoto(tx, photo, revision))
  return photo.id
}

/** A link of a folder, current or not. */
export interface FolderLink {
  folderId: number
  shareCode: string
  linkRevision: number
}

/** What a request by ids has of a link: a field of its body or query, and headers. */
export interface ShownLink {
  given: { shareCode?: string }
  headers: Record<string, string>
}

export const NO_LINK: ShownLink = { given: {}, headers: {} }

/** The cookie of a browser that has opened these links. */
export function openedCookie(links: FolderLink[]): string {
  const { opened } = createLinkCookies(TEST_LINK_KEYS, false)
  return links.reduce((cookie, { folderId, linkRevision }) => {
    return (opened.add(cookie, [folderId, linkRevision]) ?? cookie).split(';')[0] as string
  }, '')
}

/** The ways to show a link. */
export const LINK_WAYS = {
  'body or query': ({ shareCode }: FolderLink): ShownLink => ({ given: { shareCode }, headers: {} }),
  header: ({ shareCode }: FolderLink): ShownLink => ({ given: {}, headers: { 'x-share-code': shareCode } }),
  cookie: (link: FolderLink): ShownLink => ({ given: {}, headers: { cookie: openedCookie([link]) } }),
}

/** The same request with one more cookie, if there is one. */
export function withCookie({ given, headers }: ShownLink, cookie: string | undefined): ShownLink {
  if (!cookie) return { given, headers }
  return { given, headers: { ...headers, cookie: headers.cookie ? `${headers.cookie}; ${cookie}` : cookie } }
}

const testVoters = createVoterIdentity([VOTER_KEY], { secure: false })

/** A voter token as a page gives it. */
export const newVoterToken = () => testVoters.newToken()

/**
 * A voter's browser that keeps no cookies: a fingerprint that votes through the given replica, with the token of a page that
 * it loaded. Without a token it is a script that loaded none.
 */
export function newVoter(
  app: App,
  headers: () => Record<string, string> = visitor,
  voterToken: string | null = newVoterToken(),
) {
  const fingerprint = randomBytes(16).toString('hex')
  return {
    fingerprint,
    rank: (
      folderId: number,
      photoId: number,
      rank: string,
      through = app,
      link = NO_LINK,
      swap?: boolean,
      token = voterToken,
    ) =>
      call(through, 'POST', `/api/photos/${photoId}/rank`, {
        headers: { ...headers(), ...link.headers },
        body: { fingerprint, rank, swap, folderId, ...(token && { voterToken: token }), ...link.given },
      }),
  }
}

/** Passwords that this process has verified with argon2id. */
export async function countPasswordChecks(): Promise<number> {
  const { values } = await metrics.counter('skyfolio_password_checks_total', '').get()
  return values[0]?.value ?? 0
}

/** Closes the system at the end of the running test. */
export function closeAfterTest(system: TestSystem): void {
  onTestFinished(() => system.close())
}
