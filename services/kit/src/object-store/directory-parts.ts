import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { dirname, join } from 'node:path'
import { Writable } from 'node:stream'
import { makeFolders, orMissing, statFile, syncFolder } from './directory-files.ts'
import { missingOf, PartMismatch, partRequests, requireLength, sendBody, UnknownUpload } from './parts.ts'
import type { IncompleteUpload, PartedUpload, PartSpec, PartStore } from './types.ts'

export interface DirectoryPartsOptions {
  objects: string
  /** Folder of what is not an object yet, in the same file system. */
  incoming: string
  /** Throws when so many bytes more would take the reserve. */
  requireRoom(bytes: number): Promise<void>
}

const ID = /^[0-9a-f]{32}$/

/**
 * An upload is a file as large as the object, `<id>.data`, into which each part is written at its place, and a folder
 * `<id>.parts` with an empty file for each part that is whole and durable: its marker, `<number>-<SHA-256>`. Completing
 * renames the folder to `<id>.sealed`, so that no part can follow, and then the file to the object: no byte is copied.
 *
 * Only one process may receive parts: which of them sends a part is in its memory.
 */
export function directoryParts({ objects, incoming, requireRoom }: DirectoryPartsOptions): PartStore {
  let bytesToWrite = 0

  return {
    limits: { minPartBytes: 1, maxPartBytes: 32 * 1024 * 1024, maxParts: 10_000 },
    async begin(_key, size) {
      await requireRoom(size)
      const uploadId = randomBytes(16).toString('hex')
      const { data, parts } = pathsOf(incoming, uploadId)
      const file = await open(data, 'wx')
      await file.truncate(size).finally(() => file.close())
      await mkdir(parts)
      await syncFolder(incoming)
      return uploadId
    },
    admit: partRequests(),
    async put(upload, part, body, { signal }) {
      requireLength(part, body)
      const { data, parts } = pathsOf(incoming, upload.uploadId)
      const marker = join(parts, `${part.number}-${part.sha256.toString('hex')}`)
      if (!(await orMissing(stat(parts)))) throw unknown(upload)
      if (await statFile(marker)) return await receive(part, body, nowhere(), signal)

      bytesToWrite += part.bytes
      try {
        // All that is being written, since none of it may be on the disk yet.
        await requireRoom(bytesToWrite)
        const start = (part.number - 1) * upload.partBytes
        const target = createWriteStream(data, { flags: 'r+', start, flush: true })
        await orUnknown(upload, receive(part, body, target, signal))
        // Fails when the upload was aborted meanwhile: its folder is gone.
        const file = await orUnknown(upload, open(marker, 'wx'))
        await file.close()
        await orUnknown(upload, syncFolder(parts))
      } finally {
        bytesToWrite -= part.bytes
      }
    },
    list: (upload) => listParts(incoming, upload),
    async complete(upload, parts) {
      const path = join(objects, upload.key)
      const { data, parts: folder, sealed } = pathsOf(incoming, upload.uploadId)
      const stored = await listParts(incoming, upload)
      if (stored) {
        const missing = missingOf(parts, stored)
        if (missing.length > 0) return { missing }
        // No request writes into the file: each would have found the marker of its part.
        await orMissing(rename(folder, sealed))
        await makeFolders(objects, dirname(path))
        await orMissing(rename(data, path))
      }
      if ((await statFile(path))?.size !== upload.size) throw unknown(upload)
      await syncFolder(dirname(path))
      await rm(sealed, { recursive: true, force: true })
      return { missing: [] }
    },
    async abort({ uploadId }) {
      if (ID.test(uploadId)) await removeUnfinished(incoming, uploadId)
    },
  }
}

function pathsOf(incoming: string, uploadId: string) {
  if (!ID.test(uploadId)) throw new UnknownUpload('not an id of this store')
  const path = join(incoming, uploadId)
  return { data: `${path}.data`, parts: `${path}.parts`, sealed: `${path}.sealed` }
}

const unknown = ({ uploadId }: PartedUpload) => new UnknownUpload(`no upload ${uploadId}`)

async function orUnknown<T>(upload: PartedUpload, work: Promise<T>): Promise<T> {
  return await work.catch((error) => {
    throw error.code === 'ENOENT' ? unknown(upload) : error
  })
}

/** Resolves when the target is closed with all bytes of the part. */
async function receive(part: PartSpec, body: IncomingMessage, target: Writable, signal: AbortSignal): Promise<void> {
  const hash = createHash('sha256')
  const read = (chunk: Buffer) => hash.update(chunk)
  body.on('data', read)
  const stop = sendBody(body, target, signal)
  try {
    await once(target, 'close')
  } finally {
    stop()
    body.off('data', read)
  }
  if (!hash.digest().equals(part.sha256)) throw new PartMismatch(`part ${part.number} has another SHA-256`)
}

/** For a part that is stored already. */
const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() })

/** Null when there is no such upload. One whose completion was interrupted still has its parts. */
async function listParts(incoming: string, upload: PartedUpload): Promise<PartSpec[] | null> {
  if (!ID.test(upload.uploadId)) return null
  const { data, parts, sealed } = pathsOf(incoming, upload.uploadId)
  const names = (await orMissing(readdir(parts))) ?? (await orMissing(readdir(sealed)))
  if (!names || !(await statFile(data))) return null
  const stored = names.map((name) => {
    const [number = '', sha256 = ''] = name.split('-')
    const start = (Number(number) - 1) * upload.partBytes
    const bytes = Math.min(upload.partBytes, upload.size - start)
    return { number: Number(number), bytes, sha256: Buffer.from(sha256, 'hex') }
  })
  return stored.sort((a, b) => a.number - b.number)
}

/** Uploads in parts, and files of a `put`, that have not ended. */
export async function* unfinishedUploads(incoming: string): AsyncIterable<IncompleteUpload> {
  const ids = new Map<string, string>()
  for (const name of await readdir(incoming)) ids.set(name.split('.')[0] ?? name, name)
  for (const [id, name] of ids) {
    const found = await orMissing(stat(join(incoming, name)))
    if (found) yield { id, startedAt: found.birthtime, end: () => removeUnfinished(incoming, id) }
  }
}

/** The folder first, under another name: a part that is being written then ends with an error. */
async function removeUnfinished(incoming: string, id: string): Promise<void> {
  const path = join(incoming, id)
  await orMissing(rename(`${path}.parts`, `${path}.ended`))
  for (const suffix of ['.ended', '.sealed', '.data', '']) await rm(path + suffix, { recursive: true, force: true })
}
