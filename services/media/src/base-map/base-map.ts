import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
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
/** No directory, no tile and no metadata is larger: lengths come from the archive. */
const MAX_READ = 16 * 1024 * 1024
/** Directories that are kept of an archive, each at most a few megabytes. */
const KEPT_DIRECTORIES = 8
/** An archive that could not be opened is tried again after this time: an object may come later, a store be back. */
const RETRY_MS = 10_000
/** What describes the map waits for the detail so long: a store may be slow, and the gateway asks with a deadline of its own. */
const DETAIL_WAIT_MS = 500

interface MapDescription {
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
 * Reads vector tiles of PMTiles archives in the layers of the Protomaps basemap. Where `detail` is not usable there are the tiles of
 * `world`, which never wait for it.
 */
export function openBaseMap({ world, detail, store, logger }: BaseMapOptions) {
  const base = lazyArchive(world, store)
  const more = detail
    ? lazyArchive(detail, store, (err) => logger.error({ err, detail }, 'the detail of the base map cannot be read'))
    : null

  async function version(): Promise<string> {
    const roots = [(await base.get()).hash, more?.opened()?.hash]
    return createHash('sha256').update(roots.join()).digest('hex').slice(0, 16)
  }

  return {
    /** @throws when the world is missing or has another format */
    version,
    /** @throws as `version` */
    async describe(): Promise<MapDescription> {
      const { maxZoom, attribution } = await base.get()
      if (more) await Promise.race([more.get().catch(() => {}), setTimeout(DETAIL_WAIT_MS)])
      const open = more?.opened()
      return {
        version: await version(),
        maxZoom,
        attribution: [open?.attribution, attribution].filter(Boolean).join(' · '),
        detail: open ? { maxZoom: open.maxZoom, ...open.bounds } : undefined,
      }
    },
    /**
     * A tile; null where there is none, as where the world has only sea.
     * @throws when the archive that may have it cannot be read
     */
    async tile(z: number, x: number, y: number): Promise<MapTile | null> {
      if (!isTile(z, x, y)) return null
      const { maxZoom, tile } = await base.get()
      if (z <= maxZoom) return tile(z, x, y)
      return more ? (await more.get()).tile(z, x, y) : null
    },
    close: async () => void (await Promise.all([base.close(), more?.close()])),
  }
}

type Archive = Awaited<ReturnType<typeof openArchive>>

function lazyArchive(location: string, store: BaseMapOptions['store'], onFailure: (error: unknown) => void = () => {}) {
  let opening: Promise<Archive> | undefined
  let opened: Archive | undefined
  let retryAt = 0

  function reset(): void {
    opening = undefined
    opened = undefined
  }

  async function open(): Promise<Archive> {
    try {
      opened = await openArchive(location, store, reset)
      return opened
    } catch (error) {
      retryAt = performance.now() + RETRY_MS
      onFailure(error)
      throw error
    }
  }

  return {
    get(): Promise<Archive> {
      if (!opened && retryAt > 0 && performance.now() >= retryAt) {
        retryAt = 0
        opening = undefined
      }
      opening ??= open()
      return opening
    },
    /** What is open already. */
    opened: () => opened,
    close: async () => opened?.close(),
  }
}

async function openArchive(location: string, store: BaseMapOptions['store'], onReplaced: () => void) {
  const { read, close } = await openLocation(location, store, onReplaced)
  try {
    const root = await read(0, ROOT_BYTES)
    const source: Source = {
      getKey: () => location,
      getBytes: async (offset, length) => ({ data: toArrayBuffer(offset === 0 ? root : await read(offset, length)) }),
    }
    // The cache decompresses the directories; the tiles are sent as they are stored.
    const cache = new ResolvedValueCache(KEPT_DIRECTORIES)
    const archive = new PMTiles(source, cache, async (bytes) => bytes)
    const header = await archive.getHeader()
    check(header)
    const isGzip = header.tileCompression === Compression.Gzip
    const metadata = await new PMTiles(source, cache).getMetadata()
    return {
      // The lengths of all tiles, or of the directories that have them, and when the archive was built.
      hash: createHash('sha256').update(root).update(JSON.stringify(metadata)).digest('hex'),
      maxZoom: Math.min(header.maxZoom, MAX_TILE_ZOOM),
      bounds: boundsOf(header),
      attribution: attributionOf(metadata),
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
  onReplaced: () => void,
): Promise<{ read: Read; close: () => Promise<void> }> {
  if (!location.startsWith(STORE_PREFIX)) {
    const handle = await open(location)
    const read: Read = async (start, length) => {
      const { buffer: bytes, bytesRead } = await handle.read(Buffer.alloc(bounded(length)), 0, length, start)
      return complete(bytes.subarray(0, bytesRead), start, length)
    }
    return { read, close: () => handle.close() }
  }
  const key = location.slice(STORE_PREFIX.length)
  let size: number | undefined
  const read: Read = async (start, length) => {
    const object = await store.get(key, { start, end: start + bounded(length) - 1 })
    if (!object) throw new Error(`the store has no ${key}`)
    const bytes = await buffer(object.body)
    size ??= object.size
    if (size !== object.size) {
      onReplaced()
      throw new Error(`${key} was replaced`)
    }
    return complete(bytes, start, length)
  }
  return { read, close: async () => {} }
}

function bounded(length: number): number {
  if (length > 0 && length <= MAX_READ) return length
  throw new Error(`a part of the archive has ${length} bytes`)
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

/** Of an archive that states none, which has zeros, or crosses the date line, any part of the world may be there. */
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
  const text = attribution
    .replaceAll(/<[^<>]*>/g, '')
    .replaceAll('&copy;', '©')
    .replaceAll('&amp;', '&')
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_ATTRIBUTION)
}

function isTile(z: number, x: number, y: number): boolean {
  const side = 2 ** z
  return z >= 0 && z <= MAX_TILE_ZOOM && x >= 0 && x < side && y >= 0 && y < side
}
