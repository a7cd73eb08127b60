import { createHash } from 'node:crypto'
import { createBatcher, notFound } from '@skyfolio/kit'
import { LRUCache } from 'lru-cache'
import type { Pool } from 'pg'
import { type GzipPrefix, gzipPrefix } from './gzip.ts'
import { type PhotoRow, publicPhoto } from './public-photo.ts'

/** The content of a public folder, serialised once for all visitors. */
export interface SharePage {
  folderId: number
  /** JSON texts. */
  folder: string
  photos: string
  /** The response body up to the voter's own ranks, which come last. */
  prefix: Buffer
  /** The compressed prefix; compressed on the first call. */
  gzip(): Promise<GzipPrefix>
  photoIds: Set<number>
  /** URL of the preview of the newest photo that has one. */
  newestPreviewUrl: string | null
  /** Changes with each of the texts. */
  version: string
}

export interface SharePages {
  /** The current page. Throws 404 if the code is unknown or the folder private at this moment. */
  get(shareCode: string): Promise<SharePage>
}

/** Identifies the content of a serialised page. */
interface State {
  id: number
  revision: number
  contents: string
}

type Entry = State & { page: SharePage }

interface Row extends Omit<PhotoRow, 'id'> {
  id: number | null
  folder: {
    id: number
    name: string
    description: string | null
    votingOpen: boolean
    revision: number
    contents: string
  }
}

const STATES = `SELECT share_code AS code, id, revision, contents_version AS contents
FROM folders WHERE share_code = ANY ($1) AND is_public`

// One statement, so one snapshot: the photos belong to the versions in the same result.
const PAGE = `
SELECT json_build_object('id', folders.id, 'name', folders.name, 'description', folders.description,
         'votingOpen', folders.voting_open, 'revision', folders.revision, 'contents', folders.contents_version::text) AS folder,
       placed_photos.*
FROM folders LEFT JOIN placed_photos ON placed_photos.folder_id = folders.id AND visible
WHERE folders.id = $1 AND folders.is_public
ORDER BY placed_photos.created_at DESC, placed_photos.id DESC`

export const SHARE_CODE = /^[\w-]{1,64}$/
const CACHE_CHARACTERS = 32 * 1024 * 1024

/**
 * Serves share pages from memory. Every request checks in the database that its page is current; requests that arrive
 * while checks run share the next one.
 */
export function createSharePages(pool: Pool): SharePages {
  const checks = createBatcher<string, State | undefined>({
    async run(codes) {
      const { rows } = await pool.query<State & { code: string }>({
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
    sizeCalculation: ({ page }) => page.folder.length + page.photos.length + page.prefix.length,
  })
  const loading = new Map<string, Promise<Entry>>()

  // Requests that wait for the same version share one load, so a change under load costs one serialisation.
  function loadOnce(state: State): Promise<Entry> {
    const key = `${state.id} ${state.revision} ${state.contents}`
    const running = loading.get(key)
    if (running) return running
    const entry = load(pool, state.id).finally(() => loading.delete(key))
    loading.set(key, entry)
    return entry
  }

  return {
    async get(shareCode) {
      const state = SHARE_CODE.test(shareCode) ? await checks.submit(shareCode) : undefined
      if (!state) throw notFound('Folder not found')
      const cached = cache.get(state.id)
      if (cached?.revision === state.revision && cached.contents === state.contents) return cached.page
      const entry = await loadOnce(state)
      cache.set(entry.id, entry)
      return entry.page
    },
  }
}

async function load(pool: Pool, id: number): Promise<Entry> {
  const { rows } = await pool.query<Row>({ name: 'share-page', text: PAGE, values: [id] })
  const [first] = rows
  if (!first) throw notFound('Folder not found')
  const { revision, contents, name, description, votingOpen } = first.folder
  const visible = rows.filter((row): row is Row & PhotoRow => row.id !== null)
  const folder = JSON.stringify({ id, name, description, votingOpen })
  const list = visible.map(publicPhoto)
  const photos = JSON.stringify(list)
  const newestPreviewUrl = list.find(({ previewUrl }) => previewUrl !== null)?.previewUrl ?? null
  const version = createHash('sha256').update(folder).update(photos).digest('base64url').slice(0, 22)
  const photoIds = new Set(visible.map((photo) => photo.id))
  const prefix = Buffer.from(`{"folder":${folder},"photos":${photos},"voteCounts":`)
  const gzip = memoize(() => gzipPrefix(prefix))
  const page = { folderId: id, folder, photos, prefix, gzip, photoIds, newestPreviewUrl, version }
  return { id, revision, contents, page }
}

function memoize<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}
