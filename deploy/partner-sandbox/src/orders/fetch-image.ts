import sharp from 'sharp'
import type { DownloadedImage } from './order.ts'

const DEADLINE_MS = 20_000
const MAX_BYTES = 64 * 1024 * 1024
const MAX_PIXELS = 150_000_000
const THUMBNAIL_SIDE = 320

export interface FetchedImage extends DownloadedImage {
  content: Buffer
}

/** Why an image cannot be printed; a sentence for the page. */
export class ImageProblem extends Error {
  /** Whether a later attempt may succeed. */
  readonly isTemporary: boolean

  constructor(message: string, isTemporary: boolean) {
    super(message)
    this.isTemporary = isTemporary
  }
}

/**
 * Downloads an image from the one permitted origin: a plain GET without cookies that follows no redirect.
 * @throws ImageProblem
 */
export async function fetchImage(url: string, imageOrigin: string | undefined, signal: AbortSignal): Promise<Buffer> {
  const { href, origin, username, password } = new URL(url)
  if (!imageOrigin || origin !== imageOrigin) {
    throw new ImageProblem(`The address is not at ${imageOrigin ?? 'an image origin, none is set'}.`, false)
  }
  if (username || password) throw new ImageProblem('The address has a user name.', false)
  const deadline = AbortSignal.any([AbortSignal.timeout(DEADLINE_MS), signal])
  try {
    const response = await fetch(href, { redirect: 'manual', credentials: 'omit', signal: deadline })
    return await readImage(response)
  } catch (error) {
    if (error instanceof ImageProblem) throw error
    throw new ImageProblem(`The image could not be downloaded (${reasonOf(error)}).`, true)
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  if (error.name === 'TimeoutError') return 'time limit'
  const { cause } = error as { cause?: { code?: string } }
  return cause?.code ?? error.name
}

async function readImage(response: Response): Promise<Buffer> {
  const type = response.headers.get('content-type') ?? ''
  if (response.status !== 200 || !type.startsWith('image/')) {
    await response.body?.cancel()
    const what = response.status === 200 ? `content type "${type}"` : `status ${response.status}`
    throw new ImageProblem(`The address sent ${what}.`, true)
  }
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body ?? []) {
    parts.push(part)
    size += part.byteLength
    if (size > MAX_BYTES) throw new ImageProblem(`The image is larger than ${MAX_BYTES} bytes.`, false)
  }
  return Buffer.concat(parts)
}

/** @throws ImageProblem when this is no JPEG or PNG that can be decoded */
export async function inspectImage(content: Buffer): Promise<DownloadedImage> {
  try {
    const { format, width, height } = await sharp(content, { limitInputPixels: MAX_PIXELS }).metadata()
    if (format !== 'jpeg' && format !== 'png') throw new Error(format)
    return { format, width, height, bytes: content.byteLength }
  } catch {
    throw new ImageProblem('The file is no JPEG or PNG image.', true)
  }
}

/**
 * What the printer would have put on the paper: the image fills a sheet with these sides, turned as the image is.
 * @throws ImageProblem when the pixels cannot be decoded
 */
export async function makeThumbnail(image: FetchedImage, sides: { width: number; height: number }): Promise<Buffer> {
  const [short, long] = [Math.min(sides.width, sides.height), Math.max(sides.width, sides.height)]
  const shortPixels = Math.max(1, Math.round((THUMBNAIL_SIDE * short) / long))
  const isWide = image.width >= image.height
  const size = isWide ? { width: THUMBNAIL_SIDE, height: shortPixels } : { width: shortPixels, height: THUMBNAIL_SIDE }
  try {
    return await sharp(image.content, { limitInputPixels: MAX_PIXELS, failOn: 'truncated' })
      .resize({ ...size, fit: 'cover' })
      .flatten({ background: '#ffffff' })
      .jpeg({ quality: 75 })
      .toBuffer()
  } catch {
    throw new ImageProblem('The image cannot be decoded.', true)
  }
}
