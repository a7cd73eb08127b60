import { buffer } from 'node:stream/consumers'
import { CARD, createFairQueue, type ObjectStore } from '@skyfolio/kit'
import { LRUCache } from 'lru-cache'
import sharp, { type Sharp } from 'sharp'
import { previewOfCard } from '../files/object-keys.ts'
import { configureSharp } from '../renditions/render-image.ts'
import { openRendition } from './send-picture.ts'

/** A preview has at most 2,048 pixels on each side. */
const LIMITS = { limitInputPixels: 2048 * 2048 }
/** Programs that show links load no large images. Nearly all photos fit with the first quality. */
const MAX_BYTES = 300_000
const QUALITIES = [80, 60, 40]
/** Of a photo of which the card would show less than this part, it shows the whole. */
const LEAST_PART = 0.5
const BACKDROP = { width: 48, height: 25 }
/** A request that waits holds a connection of the gateway, which others need for their pictures. */
const MAX_WAITING = 3
const WAIT_MS = 1000
/** Crawlers request a card in parts, or for several visitors at once. */
const KEPT = { max: 16, ttl: 60_000 }

export interface Cards {
  /** The JPEG of a card by its stored name; null without its preview. @throws AppError 503 when too many wait, or the store is slow */
  read(name: string): Promise<Buffer | null>
}

/**
 * Makes the pictures of cards from previews, one at a time: they are requested rarely, so storing one for each photo would cost
 * more. The gateway keeps those that are in use.
 */
export function createCards(store: Pick<ObjectStore, 'get'>): Cards {
  configureSharp()
  const queue = createFairQueue({ total: 1, maxWaiting: MAX_WAITING, waitMs: WAIT_MS })
  const kept = new LRUCache<string, Promise<Buffer | null>>(KEPT)

  async function make(name: string): Promise<Buffer | null> {
    const preview = await openRendition(store, previewOfCard(name))
    return preview && renderCard(await buffer(preview.body))
  }

  return {
    read(name) {
      const known = kept.get(name)
      if (known) return known
      const card = queue.run({}, () => make(name))
      kept.set(name, card)
      card.then(
        (bytes) => bytes === null && kept.delete(name),
        () => kept.delete(name),
      )
      return card
    },
  }
}

/** Fills the card with the middle of the photo; one that is too wide or too tall for that is shown whole, on a blurred backdrop of itself. */
export async function renderCard(preview: Buffer): Promise<Buffer> {
  const { width, height } = await sharp(preview, LIMITS).metadata()
  const ratio = (width * CARD.height) / (height * CARD.width)
  const photo = sharp(preview, LIMITS).flatten({ background: 'white' })
  const fills = Math.min(ratio, 1 / ratio) >= LEAST_PART
  const card = fills ? photo.resize({ ...CARD, fit: 'cover' }) : await onBackdrop(photo)
  const { data, info } = await card.removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const encode = (quality: number) => sharp(data, { raw: info }).jpeg({ quality }).toBuffer()
  let jpeg = Buffer.alloc(0)
  for (const quality of QUALITIES) {
    jpeg = await encode(quality)
    if (jpeg.length <= MAX_BYTES) break
  }
  return jpeg
}

async function onBackdrop(photo: Sharp): Promise<Sharp> {
  const tiny = await photo
    .clone()
    .resize({ ...BACKDROP, fit: 'cover' })
    .linear(0.6)
    .blur(2)
    .png()
    .toBuffer()
  const whole = await photo
    .resize({ ...CARD, fit: 'inside' })
    .png({ compressionLevel: 1 })
    .toBuffer()
  const backdrop = await sharp(tiny)
    .resize({ ...CARD, fit: 'fill' })
    .png({ compressionLevel: 1 })
    .toBuffer()
  return sharp(backdrop).composite([{ input: whole, gravity: 'centre' }])
}
