import { createHash } from 'node:crypto'

/** A file as `POST /api/upload-sessions` wants it declared. */
export interface DeclaredFile {
  name: string
  size: number
  sha256: string
  partBytes: number
  /** SHA-256 of each part. */
  parts: string[]
}

export const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** The bytes of a part, whose number counts from 1. */
export function partOf(bytes: Buffer, number: number, partBytes: number): Buffer {
  return bytes.subarray((number - 1) * partBytes, number * partBytes)
}

export function declareFile(name: string, bytes: Buffer, partBytes: number): DeclaredFile {
  const count = Math.ceil(bytes.length / partBytes)
  const parts = Array.from({ length: count }, (_, index) => sha256Of(partOf(bytes, index + 1, partBytes)))
  return { name, size: bytes.length, sha256: sha256Of(bytes), partBytes, parts }
}
