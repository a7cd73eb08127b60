import { createHash } from 'node:crypto'
import { createBatcher, notFound } from '@skyfolio/kit'
import { LRUCache } from 'lru-cache'
import type { Pool } from 'pg'
import { type GzipBeginning, gzipBeginning } from './gzip.ts'
import { type PlacedPhoto, publicPhoto } from './public-photo.ts'

/** What a public folder shows, serialised once for all visitors. */
export interface SharePage {
  folderId: number
  /** JSON texts. */
  folder: string
  photos: string
  /** The two as the beginning of the page's whole JSON text, up to the voter's own places; compressed once when asked. */
  beginning: Buffer
  gzip(): Promise<GzipBeginning>
  photoIds: Set<number>
  /** Where the picture of the newest photo that has one is served. */
  picture: string | null
  /** Changes whenever one of the texts does. */
  version: string
}

export interface SharePages {
  /** The page as it is now. Throws 404 when the code is unknown or the folder private at this moment. */
  get(shareCode: string): Promise<SharePage>
}

/** What decides whether a serialised page is still true. */
interface State {
  id: number
  revision: number
  contents: string
}

type Entry = State & { page: SharePage }

interface Row extends Omit<PlacedPhoto, 'id'> {
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

// One statement, so one snapshot: the photos belong to the versions that come with them.
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
 * Serves share pages from memory, after asking the database each time whether they still hold: a check that forms
 * while the previous ones run answers for all who came meanwhile.
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
    sizeCalculation: ({ page }) => page.folder.length + page.photos.length + page.beginning.length,
  })
  const building = new Map<string, Promise<Entry>>()

  // Who waits for the same versions shares one building, so a change under load costs one serialisation.
  function build(state: State): Promise<Entry> {
    const key = `${state.id} ${state.revision} ${state.contents}`
    const begun = building.get(key)
    if (begun) return begun
    const entry = load(pool, state.id).finally(() => building.delete(key))
    building.set(key, entry)
    return entry
  }

  return {
    async get(shareCode) {
      const state = SHARE_CODE.test(shareCode) ? await checks.submit(shareCode) : undefined
      if (!state) throw notFound('Folder not found')
      const known = cache.get(state.id)
      if (known?.revision === state.revision && known.contents === state.contents) return known.page
      const entry = await build(state)
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
  const shown = rows.filter((row): row is Row & PlacedPhoto => row.id !== null)
  const folder = JSON.stringify({ id, name, description, votingOpen })
  const list = shown.map(publicPhoto)
  const photos = JSON.stringify(list)
  const picture = list.find(({ previewUrl }) => previewUrl !== null)?.previewUrl ?? null
  const version = createHash('sha256').update(folder).update(photos).digest('base64url').slice(0, 22)
  const photoIds = new Set(shown.map((photo) => photo.id))
  const beginning = Buffer.from(`{"folder":${folder},"photos":${photos},"voteCounts":`)
  const gzip = memoize(() => gzipBeginning(beginning))
  const page = { folderId: id, folder, photos, beginning, gzip, photoIds, picture, version }
  return { id, revision, contents, page }
}

function memoize<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}
