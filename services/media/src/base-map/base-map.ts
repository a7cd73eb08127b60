import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Logger, ObjectStore } from '@skyfolio/kit'
import { Compression, type Header, PMTiles, ResolvedValueCache, type Source, TileType } from 'pmtiles'

/** Path of the world that `npm run map:build` builds. */
export const WORLD_FILE = fileURLToPath(new URL('../../data/world.pmtiles', import.meta.url))

/** The deepest tiles that are served: those of street maps. */
export const MAX_TILE_ZOOM = 15

/** Its location: the path of a file, or this prefix and the key of an object in the store. */
const STORE_PREFIX = 'store:'
/** The header and the root directory are within it, whatever the size of the archive: PMTiles 3, section 3. */
const ROOT_BYTES = 16_384
/** Directories that are kept of an archive, each at most about a megabyte. */
const KEPT_DIRECTORIES = 32

export interface MapDescription {
  /** 16 hexadecimal digits that change with the archives. */
  version: string
  maxZoom: number
  /** As plain text. */
  attribution: string
  /** Absent: there are no deeper tiles. Its edges are in degrees. */
  detail: { maxZoom: number; west: number; south: number; east: number; north: number } | undefined
}

export interface MapTile {
  bytes: Buffer
  isGzip: boolean
}

interface BaseMapOptions {
  /** Location of the archive with the whole world. */
  world: string
  /** Location of another one, whose tiles are those of the zooms that the first does not have. */
  detail?: string | undefined
  store: Pick<ObjectStore, 'get'>
  logger: Logger
}

export type BaseMap = ReturnType<typeof openBaseMap>

/**
 * Reads vector tiles of PMTiles archives in the layers of the Protomaps basemap. They are opened for the first request; without
 * a usable `detail` there are the tiles of `world`.
 */
export function openBaseMap({ world, detail, store, logger }: BaseMapOptions) {
  const archives = { world: lazyArchive(world, store), detail: detail ? lazyArchive(detail, store) : null }
  let failure = ''

  /** An archive that fails is opened again for the next request: an object may come later, a store be back. */
  async function openDetail(): Promise<Archive | null> {
    try {
      return (await archives.detail?.get()) ?? null
    } catch (error) {
      const { message } = error as Error
      if (message !== failure) logger.error({ err: error, detail }, 'the detail of the base map cannot be read')
      failure = message
      return null
    }
  }

  return {
    /** @throws when the world is missing or has another format */
    async describe(): Promise<MapDescription> {
      const [base, more] = [await archives.world.get(), await openDetail()]
      const roots = createHash('sha256').update(base.root)
      if (more) roots.update(more.root)
      return {
        version: roots.digest('hex').slice(0, 16),
        maxZoom: base.maxZoom,
        attribution: [more?.attribution, base.attribution].filter(Boolean).join(' · '),
        detail: more ? { maxZoom: more.maxZoom, ...more.bounds } : undefined,
      }
    },
    /**
     * The bytes of a tile; null where there is none, as where the world has only sea.
     * @throws as `describe`
     */
    async tile(z: number, x: number, y: number): Promise<MapTile | null> {
      if (!isTile(z, x, y)) return null
      const base = await archives.world.get()
      const archive = z <= base.maxZoom ? base : await openDetail()
      return archive?.tile(z, x, y) ?? null
    },
    close: async () => void (await Promise.all([archives.world.close(), archives.detail?.close()])),
  }
}

type Archive = Awaited<ReturnType<typeof openArchive>>

function lazyArchive(location: string, store: BaseMapOptions['store']) {
  let opened: Promise<Archive> | undefined
  return {
    get(): Promise<Archive> {
      opened ??= openArchive(location, store).catch((error) => {
        opened = undefined
        throw error
      })
      return opened
    },
    close: async () => (await opened)?.close(),
  }
}

async function openArchive(location: string, store: BaseMapOptions['store']) {
  const { read, close } = await openLocation(location, store)
  try {
    const root = await read(0, ROOT_BYTES)
    const source: Source = {
      getKey: () => location,
      getBytes: async (offset, length) => ({ data: toArrayBuffer(offset === 0 ? root : await read(offset, length)) }),
    }
    const cache = new ResolvedValueCache(KEPT_DIRECTORIES)
    // Tiles are sent as they are stored.
    const archive = new PMTiles(source, cache, async (bytes) => bytes)
    const header = await archive.getHeader()
    check(header)
    const isGzip = header.tileCompression === Compression.Gzip
    return {
      root,
      maxZoom: Math.min(header.maxZoom, MAX_TILE_ZOOM),
      bounds: boundsOf(header),
      attribution: attributionOf(await new PMTiles(source, cache).getMetadata()),
      async tile(z: number, x: number, y: number): Promise<MapTile | null> {
        const found = await archive.getZxy(z, x, y)
        return found ? { bytes: Buffer.from(found.data), isGzip } : null
      },
      close,
    }
  } catch (error) {
    await close()
    throw new Error(`${location} is not a usable PMTiles archive`, { cause: error })
  }
}

/** Reads at most `length` bytes of the first ones, and exactly so many of those behind. */
type Read = (position: number, length: number) => Promise<Buffer>

async function openLocation(
  location: string,
  store: BaseMapOptions['store'],
): Promise<{ read: Read; close: () => Promise<void> }> {
  if (location.startsWith(STORE_PREFIX)) {
    const key = location.slice(STORE_PREFIX.length)
    const read: Read = async (start, length) => {
      const object = await store.get(key, { start, end: start + length - 1 })
      if (!object) throw new Error(`the store has no ${key}`)
      return complete(await buffer(object.body), start, length)
    }
    return { read, close: async () => {} }
  }
  const handle = await open(location)
  const read: Read = async (start, length) => {
    const { buffer: bytes, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, start)
    return complete(bytes.subarray(0, bytesRead), start, length)
  }
  return { read, close: () => handle.close() }
}

function complete(bytes: Buffer, start: number, length: number): Buffer {
  if (start > 0 && bytes.length !== length) throw new Error('the archive ends early')
  return bytes
}

function check({ tileType, tileCompression }: Header): void {
  if (tileType !== TileType.Mvt) throw new Error('its tiles are not vector tiles (MVT)')
  if (tileCompression !== Compression.Gzip && tileCompression !== Compression.None)
    throw new Error('its tiles are neither compressed with gzip nor uncompressed')
}

/** Archives whose writer did not state them have zeros: of these any part of the world may be there. */
function boundsOf({ minLon: west, minLat: south, maxLon: east, maxLat: north }: Header) {
  return west < east ? { west, south, east, north } : { west: -180, south: -90, east: 180, north: 90 }
}

function toArrayBuffer({ buffer: bytes, byteOffset, length }: Buffer): ArrayBuffer {
  return bytes.slice(byteOffset, byteOffset + length) as ArrayBuffer
}

const MAX_ATTRIBUTION = 300

/** Archives have it as HTML. */
function attributionOf(metadata: unknown): string {
  const { attribution } = (metadata ?? {}) as { attribution?: unknown }
  if (typeof attribution !== 'string') return ''
  const text = attribution.slice(0, MAX_ATTRIBUTION).replaceAll(/<[^>]*>/g, '')
  return text.replaceAll('&copy;', '©').replaceAll('&amp;', '&').replaceAll(/\s+/g, ' ').trim()
}

function isTile(z: number, x: number, y: number): boolean {
  const side = 2 ** z
  return z >= 0 && z <= MAX_TILE_ZOOM && x >= 0 && x < side && y >= 0 && y < side
}
