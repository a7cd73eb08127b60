import { setImmediate } from 'node:timers/promises'
import {
  AppError,
  contentVersion,
  createBatcher,
  isUnlocked,
  notFound,
  type Pair,
  type PublicNames,
  passwordRequired,
} from '@skyfolio/kit'
import { LRUCache } from 'lru-cache'
import type { Pool } from 'pg'
import type { Contest, Phase } from '../contests/contest.ts'
import { type PublicResult, publicResult } from '../contests/public-result.ts'
import type { Results } from '../contests/results.ts'
import { type GzipPrefix, gzipPrefix } from './gzip.ts'
import { type LinkKind, OPENED_LINK, type OpenedLink } from './opened-link.ts'
import { type PhotoRow, type PictureUrls, pictureUrls, publicPhoto, RAW_FILE } from './public-photo.ts'
import { type ShareCard, shareCard } from './share-card.ts'
import { readCameras, type SharedCameras } from './shared-cameras.ts'

/** What a link shows of a public folder, serialised once for all its visitors. */
export interface SharePage {
  folderId: number
  ownerId: number
  link: OpenedLink
  /** JSON texts. */
  folder: string
  photos: string
  /** The response body up to the voter's own ranks, which come last. */
  prefix: Buffer
  /** The compressed prefix; compressed on the first call. */
  gzip(): Promise<GzipPrefix>
  /** The cameras of its photos; read on the first call. */
  cameras(): Promise<SharedCameras>
  /** Whether the voting of the folder is open, will be, or was. */
  phase: Phase
  /** Which voters see the standings. */
  show: Contest['show']
  /** The published result; counted on the first call. Throws 403 unless there is one. */
  results(): Promise<PublicResult>
  photoIds: Set<number>
  card: ShareCard
  /** Changes with each of the texts. */
  version: string
}

export interface SharePages {
  /**
   * The current page. Throws 404 if the code is unknown, withdrawn or expired, or if the folder is private or its owner
   * suspended, at this moment; 403 if the link has a password that is not among those `unlocked`.
   */
  get(shareCode: string, unlocked: readonly Pair[]): Promise<SharePage>
}

export interface SharePagesDeps {
  pool: Pool
  publicNames: PublicNames
  results: Results
}

/** Identifies the content of a serialised page. */
interface State {
  /** Of the link. */
  id: number
  /** Of the folder. */
  revision: number
  contents: string
  /** The names on the page open nothing with another one. */
  linkRevision: number
  votingOpen: boolean
  phase: Phase
}

type LinkState = State & { passwordRevision: number | null }

type Entry = State & {
  page: SharePage
  /** By photo, for the next page of the same revision of the link. */
  urls: Map<number, PictureUrls>
}

interface Row extends Omit<PhotoRow, 'id'> {
  id: number | null
  folder: {
    id: number
    name: string
    description: string | null
    userId: number
    votingOpen: boolean
    phase: Phase
    contest: {
      opensAt: string | null
      closesAt: string | null
      show: Contest['show']
      order: Contest['order']
      voters: Contest['voters']
      openBallot: boolean
      resultsPublic: boolean
    }
    photographer: string | null
    cover: number | null
    revision: number
    contents: string
    link: OpenedLink & {
      main: boolean
      kind: LinkKind
      showMap: boolean
      votingUntil: string | null
      embedOrigins: string[]
    }
  }
}

/** Whether the link gives votes at this moment. */
const VOTING_OPEN = `phase = 'open' AND kind = 'vote' AND coalesce(voting_until > now(), true)`
const OPEN_TO_VISITORS = 'folders.is_public AND NOT folders.owner_suspended'

const STATES = `
SELECT code, link.id, folders.revision, contents_version AS contents, link.revision AS "linkRevision",
       password_revision AS "passwordRevision", ${VOTING_OPEN} AS "votingOpen", phase
FROM open_links AS link JOIN folders ON folders.id = link.folder_id JOIN phases ON phases.folder_id = folders.id
WHERE code = ANY ($1) AND ${OPEN_TO_VISITORS}`

/** That of adding is the newest first; photos without a date, or without a place in the owner's order, come last. */
const PHOTO_ORDER = `
  CASE photo_order WHEN 'own' THEN photo.own_position END,
  CASE photo_order WHEN 'taken' THEN coalesce(left(photo.date_taken, 19), '~') COLLATE "C" END,
  CASE WHEN photo_order IN ('own', 'taken') THEN photo.created_at END,
  CASE WHEN photo_order IN ('own', 'taken') THEN photo.id END,
  photo.created_at DESC, photo.id DESC`

// One statement, so one snapshot: the photos belong to the versions in the same result.
const PAGE = `
SELECT json_build_object('id', folders.id, 'userId', folders.user_id, 'name', folders.name, 'description', folders.description,
         'votingOpen', ${VOTING_OPEN}, 'phase', phase,
         'contest', json_build_object('opensAt', opens_at, 'closesAt', LEAST(closes_at, voting_until), 'show', show_standings,
           'order', photo_order, 'voters', voters, 'openBallot', open_ballot, 'resultsPublic', results_public AND phase = 'closed'),
         'photographer', users.display_name, 'cover', folders.cover_photo_id,
         'revision', folders.revision, 'contents', folders.contents_version::text,
         'link', ${OPENED_LINK} || jsonb_build_object('main', main, 'kind', kind, 'showMap', show_map AND show_places, 'votingUntil', voting_until, 'embedOrigins', embed_origins)) AS folder,
       photo.*, ${RAW_FILE}
FROM open_links AS link JOIN folders ON folders.id = link.folder_id JOIN phases ON phases.folder_id = folders.id
LEFT JOIN users ON users.id = folders.user_id
LEFT JOIN photos_with_visibility AS photo ON photo.folder_id = folders.id AND visible
WHERE link.id = $1 AND ${OPEN_TO_VISITORS}
ORDER BY ${PHOTO_ORDER}`

export const SHARE_CODE = /^[\w-]{1,64}$/
/** Of a photo, kept for the next page of the same revision of the link; in memory, about 700 bytes. */
const CHARACTERS_OF_URLS = 700
/** Of a photo's camera, counted whether or not somebody asks for it. */
const CHARACTERS_OF_CAMERA = 250
/** Other requests are processed between: new names of so many photos take about 10 ms. */
const PHOTOS_AT_ONCE = 500
const CACHE_CHARACTERS = 32 * 1024 * 1024

/**
 * Serves share pages from memory. Every request checks in the database that its page is current; requests that arrive
 * while checks run share the next one.
 */
export function createSharePages(deps: SharePagesDeps): SharePages {
  const checks = createBatcher<string, LinkState | undefined>({
    async run(codes) {
      const { rows } = await deps.pool.query<LinkState & { code: string }>({
        name: 'share-states',
        text: STATES,
        values: [[...new Set(codes)]],
      })
      const states = new Map(rows.map((row) => [row.code, row]))
      return codes.map((code) => states.get(code))
    },
    maxInFlight: 2,
    maxBatch: 1000,
    maxQueued: 10_000,
  })
  const cache = new LRUCache<number, Entry>({
    maxSize: CACHE_CHARACTERS,
    sizeCalculation: ({ page, urls }) =>
      page.folder.length +
      page.photos.length +
      page.prefix.length +
      urls.size * (CHARACTERS_OF_URLS + CHARACTERS_OF_CAMERA),
  })
  const loading = new Map<string, Promise<Entry>>()

  // Requests that wait for the same version share one load, so a change under load costs one serialisation.
  function loadOnce(state: State): Promise<Entry> {
    const key = `${state.id} ${state.revision} ${state.contents} ${state.linkRevision} ${state.votingOpen} ${state.phase}`
    const running = loading.get(key)
    if (running) return running
    const entry = load(deps, state.id, cache.peek(state.id)).finally(() => loading.delete(key))
    loading.set(key, entry)
    return entry
  }

  const pages: SharePages = {
    async get(shareCode, unlocked) {
      const state = SHARE_CODE.test(shareCode) ? await checks.submit(shareCode) : undefined
      if (!state) throw notFound('Folder not found')
      if (!isUnlocked(unlocked, state)) throw passwordRequired()
      const cached = cache.get(state.id)
      if (cached && isCurrent(cached, state)) return cached.page
      const entry = await loadOnce(state)
      cache.set(entry.id, entry)
      // The link has changed since the check: the new page may not be for those who have the former code or password.
      return entry.linkRevision === state.linkRevision ? entry.page : pages.get(shareCode, unlocked)
    },
  }
  return pages
}

function isCurrent(entry: State, state: State): boolean {
  return (
    entry.revision === state.revision &&
    entry.contents === state.contents &&
    entry.linkRevision === state.linkRevision &&
    entry.votingOpen === state.votingOpen &&
    entry.phase === state.phase
  )
}

/** @param id of the link @param before the last page of the link */
async function load(
  { pool, publicNames, results }: SharePagesDeps,
  id: number,
  before: Entry | undefined,
): Promise<Entry> {
  const { rows } = await pool.query<Row>({ name: 'share-page', text: PAGE, values: [id] })
  const [first] = rows
  if (!first) throw notFound('Folder not found')
  const { revision, contents, name, description, votingOpen, photographer, cover, userId, link, phase, contest } =
    first.folder
  const { main, kind, showPlaces, showCamera, showMap, downloads, votingUntil, embedOrigins } = link
  const visible = rows.filter((row): row is Row & PhotoRow => row.id !== null)
  const known = before?.linkRevision === link.revision ? before.urls : undefined
  const urls = await urlsOf(visible, (row) => pictureUrls(row, link, publicNames, known?.get(row.id)))
  const list = visible.map((row) => publicPhoto(row, link, urls.get(row.id) as PictureUrls))
  const chosen = list.find((photo) => photo.id === cover && photo.previewUrl !== null)
  const coverPhotoId = chosen?.id ?? null
  const folderId = link.folderId
  const shown = { main, kind, showPlaces, showCamera, showMap, downloads, votingUntil: toIso(votingUntil) }
  const { opensAt, closesAt, show, order, resultsPublic } = contest
  const rules = { ...contest, phase, opensAt: toIso(opensAt), closesAt: toIso(closesAt) }
  // Other folders have another order for the same voter, since it is a part of what is hashed.
  const shuffleKey = order === 'shuffled' ? `${folderId}` : null
  const folder = JSON.stringify({
    id: folderId,
    name,
    description,
    photographer,
    votingOpen,
    ...shown,
    ...rules,
    shuffleKey,
    coverPhotoId,
  })
  const photos = JSON.stringify(list)
  const card = shareCard({ name, description, photographer, main, kind, embedOrigins }, list, chosen, publicNames)
  const prefix = Buffer.from(`{"folder":${folder},"photos":${photos},"voteCounts":`)
  const page: SharePage = {
    folderId,
    ownerId: userId,
    link,
    folder,
    photos,
    prefix,
    gzip: memoize(() => gzipPrefix(prefix)),
    cameras: memoize(() => readCameras(pool, link)),
    phase,
    show,
    results: memoize(async () => {
      const result = resultsPublic ? await results.count(folderId) : null
      if (!result) throw new AppError(403, 'results_hidden', 'The results are not published.')
      return publicResult(result, { name, description, photographer })
    }),
    photoIds: new Set(urls.keys()),
    // Which photos a voter sees first is not known yet.
    card: order === 'shuffled' ? { ...card, pictures: [] } : card,
    version: contentVersion(folder + photos),
  }
  return { id, revision, contents, linkRevision: link.revision, votingOpen, phase, page, urls }
}

/** PostgreSQL's JSON has times with an offset. */
function toIso(time: string | null): string | null {
  return time && new Date(time).toISOString()
}

async function urlsOf(photos: PhotoRow[], make: (photo: PhotoRow) => PictureUrls): Promise<Map<number, PictureUrls>> {
  const urls = new Map<number, PictureUrls>()
  for (const [index, photo] of photos.entries()) {
    urls.set(photo.id, make(photo))
    if (index % PHOTOS_AT_ONCE === PHOTOS_AT_ONCE - 1) await setImmediate()
  }
  return urls
}

/** Makes it once; again after a failure. */
function memoize<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}
