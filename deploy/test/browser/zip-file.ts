import { crc32 } from 'node:zlib'

const END_RECORD = 0x06054b50
const STORED = 0

/**
 * Reads a small ZIP archive by its directory, as programs for archives do. Returns the contents by path.
 * @throws Error for a damaged or compressed one
 */
export function readZip(archive: Buffer): Map<string, Buffer> {
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]))
  if (end < 0 || archive.readUInt32LE(end) !== END_RECORD) throw new Error('The archive has no end.')
  const files = new Map<string, Buffer>()
  let at = archive.readUInt32LE(end + 16)
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((field) => archive.readUInt16LE(at + field))
    const path = archive.toString('utf8', at + 46, at + 46 + (nameBytes ?? 0))
    files.set(path, contentOf(archive, at, path))
    at += 46 + (nameBytes ?? 0) + (extraBytes ?? 0) + (commentBytes ?? 0)
  }
  return files
}

function contentOf(archive: Buffer, entry: number, path: string): Buffer {
  if (archive.readUInt16LE(entry + 10) !== STORED) throw new Error(`${path} is compressed.`)
  const header = archive.readUInt32LE(entry + 42)
  const start = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28)
  const content = archive.subarray(start, start + archive.readUInt32LE(entry + 24))
  if (crc32(content) !== archive.readUInt32LE(entry + 16)) throw new Error(`${path} is damaged.`)
  return content
}
