import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { inSpan, type ObjectStore } from '@skyfolio/kit'
import type { Photo } from '../generated/client.ts'
import { type Original, openOriginal } from '../renditions/original.ts'

/** Columns of a photo whose original has the SHA-256 that the client claimed, or else its real one. */
export interface Verification {
  sha256?: string
  sha256Verified: true
  crc32: number
}

/** An original whose claimed hash was compared with its bytes; without `verification` where that was done before. */
export interface VerifiedOriginal {
  original: Original
  verification?: Verification
}

/**
 * Opens the photo's original and verifies a claimed hash: in memory with the bytes that are read anyway, otherwise in one
 * pass over the object. Null when the store does not have it. @throws when it is incomplete
 */
export async function openVerified(store: ObjectStore, photo: Photo): Promise<VerifiedOriginal | null> {
  if (photo.sha256Verified) {
    const original = await openOriginal(store, photo)
    return original && { original }
  }
  const digest = createDigest()
  const original = await openOriginal(store, photo, digest.add)
  if (!original) return null
  if (original.bytes === null) {
    await inSpan('verify original', {}, async () => {
      for await (const chunk of await original.stream()) digest.add(chunk)
    })
  }
  const { bytes, sha256, crc32 } = digest.finish()
  if (bytes !== photo.filesize) throw new Error(`read ${bytes} bytes of an original of ${photo.filesize}`)
  const isRight = sha256 === photo.sha256
  return { original, verification: { ...(isRight ? {} : { sha256 }), sha256Verified: true, crc32 } }
}

function createDigest() {
  const hash = createHash('sha256')
  let checksum = 0
  let bytes = 0
  return {
    add(chunk: Buffer): void {
      hash.update(chunk)
      checksum = crc32(chunk, checksum)
      bytes += chunk.length
    },
    finish: () => ({ bytes, sha256: hash.digest('hex'), crc32: checksum }),
  }
}
