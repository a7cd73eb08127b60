import { type FileHandle, open } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** Path of the base map that `npm run map:build` builds. */
export const MAP_FILE = fileURLToPath(new URL('../../data/map.bin', import.meta.url))

/** Tiles exist for the zooms from 0 to this one, of tiles that are 512 CSS pixels wide. */
export const MAP_MAX_ZOOM = 8

/**
 * The file: magic, version (16 hexadecimal digits that identify the content of the tiles), the index, the tiles. The index has one
 * entry for each tile of all zooms, in the order of `tileNumber`: offset and length (u32, little-endian) of its bytes;
 * length 0: there is no such tile. Tiles are vector tiles (MVT 2), compressed with gzip; equal ones are stored once.
 */
const MAGIC = 'SKYMAP2'
const HEADER_LENGTH = MAGIC.length + 16
const ENTRY_LENGTH = 8

/** The position of a tile in the index: zooms ascending, then rows, then columns. */
export function tileNumber(z: number, x: number, y: number): number {
  return (4 ** z - 1) / 3 + y * 2 ** z + x
}

const TILES = tileNumber(MAP_MAX_ZOOM + 1, 0, 0)

/** The bytes of the file. @param tiles compressed tiles by their number; the same buffer is stored once */
export function encodeMap(version: string, tiles: Map<number, Buffer>): Buffer {
  const index = Buffer.alloc(TILES * ENTRY_LENGTH)
  const offsets = new Map<Buffer, number>()
  let end = HEADER_LENGTH + index.length
  for (const [number, bytes] of tiles) {
    const offset = offsets.get(bytes) ?? end
    if (offset === end) {
      offsets.set(bytes, offset)
      end += bytes.length
    }
    index.writeUInt32LE(offset, number * ENTRY_LENGTH)
    index.writeUInt32LE(bytes.length, number * ENTRY_LENGTH + 4)
  }
  return Buffer.concat([Buffer.from(MAGIC + version), index, ...offsets.keys()])
}

export type BaseMap = ReturnType<typeof openBaseMap>

/** The base map of a file, which is opened for the first request and read from the disk. */
export function openBaseMap(file: string) {
  let opened: Promise<{ version: string; handle: FileHandle }> | undefined

  async function openFile() {
    const handle = await open(file)
    const header = (await handle.read(Buffer.alloc(HEADER_LENGTH), 0, HEADER_LENGTH, 0)).buffer.toString()
    if (header.startsWith(MAGIC)) return { version: header.slice(MAGIC.length), handle }
    await handle.close()
    throw new Error(`${file} is not a base map of this version`)
  }

  function access() {
    opened ??= openFile().catch((error) => {
      opened = undefined
      throw error
    })
    return opened
  }

  return {
    /** @throws when the file is missing or has another format */
    version: async () => (await access()).version,
    /**
     * The bytes of a tile, compressed with gzip; null where there is only sea, and for tiles that cannot exist.
     * @throws as `version`
     */
    async tile(z: number, x: number, y: number): Promise<Buffer | null> {
      if (!isTile(z, x, y)) return null
      const { handle } = await access()
      const entry = await readAt(handle, HEADER_LENGTH + tileNumber(z, x, y) * ENTRY_LENGTH, ENTRY_LENGTH)
      const length = entry.readUInt32LE(4)
      return length === 0 ? null : readAt(handle, entry.readUInt32LE(0), length)
    },
    close: async () => (await opened)?.handle.close(),
  }
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, position)
  if (bytesRead < length) throw new Error('the base map ends early')
  return buffer
}

function isTile(z: number, x: number, y: number): boolean {
  const side = 2 ** z
  return z >= 0 && z <= MAP_MAX_ZOOM && x >= 0 && x < side && y >= 0 && y < side
}
