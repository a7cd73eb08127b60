import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { FileHashes } from '../queue/items.ts'

// crypto.subtle hashes only what is in memory as a whole, which is a part but not a large file, and is missing on pages without HTTPS.

export interface HashJob {
  id: number
  file: File
  partBytes: number
}
/** `hashes` is null when the file cannot be read. */
export type HashResult = { id: number; hashes: FileHashes | null }

async function hash({ file, partBytes }: HashJob): Promise<FileHashes> {
  const whole = sha256.create()
  const parts: string[] = []
  const isOnePart = file.size <= partBytes
  for (let start = 0; start < file.size; start += partBytes) {
    const bytes = new Uint8Array(await file.slice(start, start + partBytes).arrayBuffer())
    const part = hashPart(bytes)
    if (!isOnePart) whole.update(bytes)
    parts.push(bytesToHex(await part))
  }
  return { sha256: isOnePart ? (parts[0] as string) : bytesToHex(whole.digest()), partBytes, parts }
}

async function hashPart(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return crypto.subtle ? new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)) : sha256(bytes)
}

addEventListener('message', async ({ data }: MessageEvent<HashJob>) => {
  const hashes = await hash(data).catch(() => null)
  postMessage({ id: data.id, hashes } satisfies HashResult)
})
