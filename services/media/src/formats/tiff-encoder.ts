import { encodeUint } from './tiff-directory.ts'

/** A tag with its values. */
export interface Tag {
  tag: number
  type: number
  count: number
  bytes: Buffer
}

/** The tags of a directory, and the directories below it by their pointer tag. */
export interface Directory {
  tags: Tag[]
  below: [pointer: number, Directory][]
}

const LONG = 4
export const ENTRY_BYTES = 12
export const FIRST_DIRECTORY_AT = 8

/** The header of a TIFF; the first directory follows it. */
export function encodeTiffHead(littleEndian: boolean): Buffer {
  const magic = Buffer.from(littleEndian ? 'II*\0' : 'MM\0*', 'latin1')
  return Buffer.concat([magic, encodeUint(FIRST_DIRECTORY_AT, 4, littleEndian)])
}

/** A directory at offset `start`, followed by those below it. */
export function encodeDirectory({ tags, below }: Directory, start: number, littleEndian: boolean): Buffer {
  const pointerTo = (tag: number, at: number) => ({ tag, type: LONG, count: 1, bytes: encodeUint(at, 4, littleEndian) })
  const unknown = below.map(([tag]) => pointerTo(tag, 0))
  let at = start + encodeTags([...tags, ...unknown], start, littleEndian).length
  const pointers: Tag[] = []
  const parts: Buffer[] = []
  for (const [tag, directory] of below) {
    const encoded = encodeDirectory(directory, at, littleEndian)
    pointers.push(pointerTo(tag, at))
    parts.push(encoded)
    at += encoded.length
  }
  return Buffer.concat([encodeTags([...tags, ...pointers], start, littleEndian), ...parts])
}

/** One directory at offset `start`, with no next one, followed by its values. Its tags are in order, as TIFF demands. */
function encodeTags(tags: Tag[], start: number, littleEndian: boolean): Buffer {
  const uint = (value: number, width: number) => encodeUint(value, width, littleEndian)
  const entries = [uint(tags.length, 2)]
  const values: Buffer[] = []
  let valuesAt = start + 2 + tags.length * ENTRY_BYTES + 4
  for (const { tag, type, count, bytes } of tags.toSorted((one, other) => one.tag - other.tag)) {
    entries.push(uint(tag, 2), uint(type, 2), uint(count, 4))
    if (bytes.length <= 4) {
      entries.push(Buffer.concat([bytes], 4))
      continue
    }
    entries.push(uint(valuesAt, 4))
    values.push(bytes, Buffer.alloc(bytes.length % 2))
    valuesAt += bytes.length + (bytes.length % 2)
  }
  return Buffer.concat([...entries, Buffer.alloc(4), ...values])
}
