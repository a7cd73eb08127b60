import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { createBatcher, notFound, type PublicNames } from '@skyfolio/kit'
import { LRUCache } from 'lru-cache'
import type { Pool } from 'pg'
import { type GzipPrefix, gzipPrefix } from './gzip.ts'
import { type PhotoRow, type PictureUrls, pictureUrls, publicPhoto, RAW_FILE } from './public-photo.ts'
import { type ShareCard, shareCard } from './share-card.ts'
import { readCameras, type SharedCameras } from './shared-cameras.ts'

/** The content of a public folder, serialised once for all visitors. */
export interface SharePage {
  folderId: number
  /** Of the link that opened the page. */
  linkRevision: number
  /** JSON texts. */
  folder: string
  photos: string
  /** The response body up to the voter's own ranks, which come last. */
  prefix: Buffer
  /** The compressed prefix; compressed on the first call. */
  gzip(): Promise<GzipPrefix>
  /** The cameras of its photos; read on the first call. */
  cameras(): Promise<SharedCameras>
  photoIds: Set<number>
  card: ShareCard
  /** Changes with each of the texts. */
  version: string
}

export interface SharePages {
  /**
   * The current page. Throws 404 if the code is unknown or replaced, or if the folder is private or its owner suspended, at
   * this moment.
   */
  get(shareCode: string): Promise<SharePage>
}

export interface SharePagesDeps {
  pool: Pool
  publicNames: PublicNames
}

/** Identifies the content of a serialised page. */
interface State {
  id: number
  revision: number
  contents: string
  /** Of the link: the names on the page open nothing with another one. */
  link: number
}

type Entry = State & {
  page: SharePage
  /** By photo, for the next page of the same link. */
  urls: Map<number, PictureUrls>
}

interface Row extends Omit<PhotoRow, 'id'> {
  id: number | null
  folder: {
    id: number
    name: string
    description: string | null
    votingOpen: boolean
    showMap: boolean
    photographer: string | null
    cover: number | null
    revision: number
    contents: string
    link: number
  }
}

const STATES = `SELECT share_code AS code, id, revision, contents_version AS contents, link_revision AS link
FROM folders WHERE share_code = ANY ($1) AND is_public AND NOT owner_suspended`

// One statement, so one snapshot: the photos belong to the versions in the same result.
const PAGE = `
SELECT json_build_object('id', folders.id, 'name', folders.name, 'description', folders.description,
         'votingOpen', folders.voting_open, 'showMap', folders.show_map,
         'photographer', users.display_name, 'cover', folders.cover_photo_id, 'revision', folders.revision, 'contents', folders.contents_version::text,
         'link', folders.link_revision) AS folder,
       photo.*, ${RAW_FILE}
FROM folders LEFT JOIN users ON users.id = folders.user_id
LEFT JOIN photos_with_visibility AS photo ON photo.folder_id = folders.id AND visible
WHERE folders.id = $1 AND folders.is_public AND NOT folders.owner_suspended
ORDER BY photo.created_at DESC, photo.id DESC`

export const SHARE_CODE = /^[\w-]{1,64}$/
/** Of a photo, kept for the next page of the same link; in memory, about 700 bytes. */
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
  const checks = createBatcher<string, State | undefined>({
    async run(codes) {
      const { rows } = await deps.pool.query<State & { code: string }>({
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
    const key = `${state.id} ${state.revision} ${state.contents} ${state.link}`
    const running = loading.get(key)
    if (running) return running
    const entry = load(deps, state.id, cache.peek(state.id)).finally(() => loading.delete(key))
    loading.set(key, entry)
    return entry
  }

  return {
    async get(shareCode) {
      const state = SHARE_CODE.test(shareCode) ? await checks.submit(shareCode) : undefined
      if (!state) throw notFound('Folder not found')
      const cached = cache.get(state.id)
      if (cached && isCurrent(cached, state)) return cached.page
      const entry = await loadOnce(state)
      cache.set(entry.id, entry)
      // The link was renewed since the check: the new one's names are not for those who have the old one.
      if (entry.link !== state.link) throw notFound('Folder not found')
      return entry.page
    },
  }
}

function isCurrent(entry: State, state: State): boolean {
  return entry.revision === state.revision && entry.contents === state.contents && entry.link === state.link
}

/** @param before the last page of the folder */
async function load({ pool, publicNames }: SharePagesDeps, id: number, before: Entry | undefined): Promise<Entry> {
  const { rows } = await pool.query<Row>({ name: 'share-page', text: PAGE, values: [id] })
  const [first] = rows
  if (!first) throw notFound('Folder not found')
  const { revision, contents, link, name, description, votingOpen, showMap, photographer, cover } = first.folder
  const visible = rows.filter((row): row is Row & PhotoRow => row.id !== null)
  const known = before?.link === link ? before.urls : undefined
  const urls = await urlsOf(visible, (row) => pictureUrls(row, publicNames, known?.get(row.id)))
  const list = visible.map((row) => publicPhoto(row, urls.get(row.id) as PictureUrls))
  const chosen = list.find((photo) => photo.id === cover && photo.previewUrl !== null)
  const coverPhotoId = chosen?.id ?? null
  const folder = JSON.stringify({ id, name, description, photographer, votingOpen, showMap, coverPhotoId })
  const photos = JSON.stringify(list)
  const prefix = Buffer.from(`{"folder":${folder},"photos":${photos},"voteCounts":`)
  const page: SharePage = {
    folderId: id,
    linkRevision: link,
    folder,
    photos,
    prefix,
    gzip: memoize(() => gzipPrefix(prefix)),
    cameras: memoize(() => readCameras(pool, id, link)),
    photoIds: new Set(urls.keys()),
    card: shareCard({ name, description, photographer }, list, chosen, publicNames),
    version: createHash('sha256').update(folder).update(photos).digest('base64url').slice(0, 22),
  }
  return { id, revision, contents, link, page, urls }
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
