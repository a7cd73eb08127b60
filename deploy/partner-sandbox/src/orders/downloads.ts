import { randomUUID } from 'node:crypto'
import sharp from 'sharp'
import { findProduct } from '../catalog/products.ts'
import type { Order, OrderItem } from './order.ts'

const MAX_THUMBNAILS = 300
const DEADLINE_MS = 20_000
const MAX_BYTES = 64 * 1024 * 1024
const MAX_PIXELS = 150_000_000
const THUMBNAIL_SIDE = 320

export interface DownloadDeps {
  imageOrigin: string | undefined
  /** The newest ones (JPEG), by id. */
  thumbnails: Map<string, Buffer>
  signal: AbortSignal
}

/** Downloads the images that an order lacks, one after the other. @returns the first problem, if there was one */
export async function downloadImages(order: Order, deps: DownloadDeps): Promise<ImageProblem | undefined> {
  let first: ImageProblem | undefined
  const missing = order.items.filter(({ image }) => image === null)
  for (const [url, items] of Map.groupBy(missing, (item) => item.url)) {
    const problem = await downloadImage(url, items, deps)
    first ??= problem
  }
  return first
}

async function downloadImage(url: string, items: OrderItem[], deps: DownloadDeps): Promise<ImageProblem | undefined> {
  try {
    const content = await fetchImage(url, deps)
    for (const item of items) await print(item, content, deps.thumbnails)
    return undefined
  } catch (error) {
    const problem = error instanceof ImageProblem ? error : new ImageProblem('The download failed.', true)
    for (const item of items) item.problem = problem.message
    return problem
  }
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
async function fetchImage(url: string, { imageOrigin, signal }: DownloadDeps): Promise<Buffer> {
  const { href, origin, username, password } = new URL(url)
  if (!imageOrigin || origin !== imageOrigin) {
    throw new ImageProblem(`The address is not at ${imageOrigin ?? 'an image origin, none is set'}.`, false)
  }
  if (username || password) throw new ImageProblem('The address has a user name.', false)
  const deadline = AbortSignal.any([AbortSignal.timeout(DEADLINE_MS), signal])
  try {
    return await readImage(await fetch(href, { redirect: 'manual', credentials: 'omit', signal: deadline }))
  } catch (error) {
    if (error instanceof ImageProblem) throw error
    const { name, cause } = error as { name: string; cause?: { code?: string } }
    throw new ImageProblem(`The image could not be downloaded (${cause?.code ?? name}).`, true)
  }
}

async function readImage(response: Response): Promise<Buffer> {
  const type = response.headers.get('content-type') ?? ''
  if (response.status !== 200 || !type.startsWith('image/')) {
    await response.body?.cancel()
    const what = response.status === 200 ? `content type "${type}"` : `status ${response.status}`
    throw new ImageProblem(`The address sent ${what}.`, true)
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    size += chunk.byteLength
    if (size > MAX_BYTES) throw new ImageProblem(`The image is larger than ${MAX_BYTES} bytes.`, false)
  }
  return Buffer.concat(chunks)
}

/**
 * Makes what the printer would have put on the paper: the image fills a sheet of the product, turned as the image is.
 * @throws ImageProblem when this is no JPEG or PNG that can be decoded
 */
async function print(item: OrderItem, content: Buffer, thumbnails: Map<string, Buffer>): Promise<void> {
  try {
    const picture = sharp(content, { limitInputPixels: MAX_PIXELS, failOn: 'truncated' })
    const { format, width, height } = await picture.metadata()
    if (format !== 'jpeg' && format !== 'png') throw new Error(format)
    const { width: short, height: long } = findProduct(item.productId) ?? { width, height }
    const side = Math.round((THUMBNAIL_SIDE * short) / long)
    const sheet = width >= height ? { width: THUMBNAIL_SIDE, height: side } : { width: side, height: THUMBNAIL_SIDE }
    const printed = picture.resize({ ...sheet, fit: 'cover' }).flatten({ background: '#ffffff' })
    item.thumbnailId = randomUUID()
    thumbnails.set(item.thumbnailId, await printed.jpeg({ quality: 75 }).toBuffer())
    item.image = { format, width, height, bytes: content.byteLength }
    item.problem = null
  } catch {
    item.thumbnailId = null
    throw new ImageProblem('The file is no JPEG or PNG image that can be decoded.', true)
  }
  const [oldest = ''] = thumbnails.keys()
  if (thumbnails.size > MAX_THUMBNAILS) thumbnails.delete(oldest)
}
