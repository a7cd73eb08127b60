import { promisify } from 'node:util'
import { inflate } from 'node:zlib'
import { readTiffHeader } from './tiff-directory.ts'

/** Of a compressed text, uncompressed: XMP of a megabyte in hexadecimal digits with line breaks. */
const MAX_TEXT_BYTES = 2.2 * 1024 * 1024
/**
 * Metadata in texts, as ImageMagick, exiv2 and others write it: a name and a length in lines of their own, then hexadecimal digits. APP1
 * is EXIF or XMP with the name that it has in JPEG.
 */
const PROFILE_KEYWORD = /^Raw profile type (exif|app1|xmp)$/i
const PROFILE_HEAD = /^\s*[\w ]{1,40}\n\s*\d{1,10}\n/
const PROFILE_HEAD_BYTES = 100
const MAX_KEYWORD_BYTES = 79
/** Decoding one takes milliseconds, and a file has a few. */
export const MAX_PROFILES = 4
/** The types of chunks that are texts. */
export const TEXTS = ['iTXt', 'tEXt', 'zTXt']
const JPEG_PREFIX = Buffer.from('Exif\0\0', 'latin1')

/** The keyword of a chunk `tEXt`, `zTXt` or `iTXt`; empty when it has none. */
export function keywordOf(data: Buffer): string {
  return data.toString('latin1', 0, Math.max(0, data.subarray(0, MAX_KEYWORD_BYTES + 1).indexOf(0)))
}

/** Which metadata the text of a chunk is; undefined for any other text. */
export function profileOf(data: Buffer): 'exif' | 'app1' | 'xmp' | undefined {
  return PROFILE_KEYWORD.exec(keywordOf(data))?.[1]?.toLowerCase() as ReturnType<typeof profileOf>
}

/** The bytes of the text in a chunk of this type, uncompressed; empty when they are damaged or too long. */
export async function readPngText(type: string, chunk: Buffer): Promise<Buffer> {
  const data = chunk.subarray(keywordOf(chunk).length + 1)
  if (type === 'tEXt') return data
  if (type === 'zTXt') return inflateText(data.subarray(1))
  // Two flags, then the language and the translated keyword, each terminated by NUL.
  const name = data.indexOf(0, 2) + 1
  const start = data.indexOf(0, name) + 1
  if (name === 0 || start === 0) return Buffer.alloc(0)
  return data[0] === 1 ? inflateText(data.subarray(start)) : data.subarray(start)
}

function inflateText(bytes: Buffer): Promise<Buffer> {
  return promisify(inflate)(bytes, { maxOutputLength: MAX_TEXT_BYTES }).catch(() => Buffer.alloc(0))
}

/** The bytes of the metadata in a text, up to a digit that is none; empty when it does not have the form. */
export async function readProfile(type: string, chunk: Buffer): Promise<Buffer> {
  const text = await readPngText(type, chunk)
  const [head] = PROFILE_HEAD.exec(text.toString('latin1', 0, PROFILE_HEAD_BYTES)) ?? []
  if (head === undefined) return Buffer.alloc(0)
  return Buffer.from(text.toString('latin1', head.length).replaceAll(/\s+/g, ''), 'hex')
}

/** Whether the chunk is a text that may be EXIF. */
export function mayBeExif(type: string, data: Buffer): boolean {
  const profile = TEXTS.includes(type) ? profileOf(data) : undefined
  return profile === 'exif' || profile === 'app1'
}

/** The EXIF in such a text; null when it is something else. */
export async function readExifText(type: string, chunk: Buffer): Promise<Buffer | null> {
  const decoded = withoutPrefix(await readProfile(type, chunk))
  return readTiffHeader(decoded) ? decoded : null
}

/** EXIF without the prefix that it has in JPEG, and by some writers in PNG. */
export function withoutPrefix(exif: Buffer): Buffer {
  return exif.subarray(0, JPEG_PREFIX.length).equals(JPEG_PREFIX) ? exif.subarray(JPEG_PREFIX.length) : exif
}
