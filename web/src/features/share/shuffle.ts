import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

const ASCII = new TextEncoder()

/**
 * The photos in this voter's own order: ascending by the SHA-256 of `key:voter:photoId`. No position is better than another over
 * all voters, and a photo that is added later moves no other one.
 */
export function shuffled<P extends { id: number }>(photos: readonly P[], key: string, voter: string): P[] {
  const start = sha256.create().update(ASCII.encode(`${key}:${voter}:`))
  return photos
    .map(
      (photo) =>
        [
          bytesToHex(
            start
              .clone()
              .update(ASCII.encode(String(photo.id)))
              .digest(),
          ),
          photo,
        ] as const,
    )
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, photo]) => photo)
}
