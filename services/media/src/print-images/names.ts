import { createHmac, timingSafeEqual } from 'node:crypto'
import type { PrintImage } from '../generated/client.ts'

export type PrintImageNames = ReturnType<typeof createPrintImageNames>

/** What a signed file name says. */
export type PrintImageName = Pick<PrintImage, 'id' | 'expiresAt'>

/** Distinguishes names of print images from those of photos' files, which are hex. */
const PREFIX = 'p-'
const NAME = /^p-([0-9a-f]{32})-([0-9a-z]{1,8})-([0-9a-f]{32})\.jpg$/
const SIGNATURE_BYTES = 16

/** Whether a file name is meant as that of a print image, valid or not. */
export function isPrintImageName(name: string): boolean {
  return name.startsWith(PREFIX)
}

/** Signs file names with the first key; all keys verify them. The expiry is part of the name, in seconds since 1970. */
export function createPrintImageNames(keys: string[]) {
  const [first] = keys
  if (first === undefined) throw new Error('No key for print images is configured')
  return {
    /** The file name under which anybody gets the image until it expires. */
    sign(id: string, expiresAt: Date): string {
      const expiry = Math.floor(expiresAt.getTime() / 1000).toString(36)
      return `${PREFIX}${id}-${expiry}-${signatureOf(id, expiry, first).toString('hex')}.jpg`
    },
    /** What a name says; null for one that is forged, expired or malformed. */
    verify(name: string, now = Date.now()): PrintImageName | null {
      const [, id, expiry, signature] = NAME.exec(name) ?? []
      if (!id || !expiry || !signature) return null
      const given = Buffer.from(signature, 'hex')
      if (!keys.some((key) => timingSafeEqual(signatureOf(id, expiry, key), given))) return null
      const expiresAt = new Date(Number.parseInt(expiry, 36) * 1000)
      return expiresAt.getTime() > now ? { id, expiresAt } : null
    },
  }
}

function signatureOf(id: string, expiry: string, key: string): Buffer {
  return createHmac('sha256', key).update(`print-image.${id}.${expiry}`).digest().subarray(0, SIGNATURE_BYTES)
}
