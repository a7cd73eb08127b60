import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

// Not crypto.subtle: it hashes only whole files, and is missing on pages without HTTPS.

const SLICE_BYTES = 4 * 1024 * 1024

export interface HashJob {
  id: number
  file: File
}
/** `hash` is null when the file cannot be read. */
export interface HashResult {
  id: number
  hash: string | null
}

async function hashOf(file: File): Promise<string> {
  const hash = sha256.create()
  for (let start = 0; start < file.size; start += SLICE_BYTES) {
    hash.update(new Uint8Array(await file.slice(start, start + SLICE_BYTES).arrayBuffer()))
  }
  return bytesToHex(hash.digest())
}

addEventListener('message', async ({ data: { id, file } }: MessageEvent<HashJob>) => {
  const hash = await hashOf(file).catch(() => null)
  postMessage({ id, hash } satisfies HashResult)
})
