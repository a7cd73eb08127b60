import type { FileHashes } from '../queue/items.ts'
import type { HashJob, HashResult } from './hash-worker.ts'

let worker: Worker | undefined
let lastId = 0
const waiting = new Map<number, { resolve: (hashes: FileHashes) => void; reject: (error: Error) => void }>()

function startWorker(): Worker {
  const started = new Worker(new URL('./hash-worker.ts', import.meta.url), { type: 'module' })
  started.onmessage = ({ data: { id, hashes } }: MessageEvent<HashResult>) => {
    const job = waiting.get(id)
    waiting.delete(id)
    if (hashes === null) job?.reject(new Error('The file cannot be read'))
    else job?.resolve(hashes)
  }
  // A worker that crashes loses its jobs; the next job starts a new one.
  started.onerror = () => {
    started.terminate()
    worker = undefined
    for (const job of waiting.values()) job.reject(new Error('The worker failed'))
    waiting.clear()
  }
  return started
}

/** SHA-256 of a file and of its parts, off the main thread in one pass. @throws when the file cannot be read. */
export function hashFile(file: File, partBytes: number): Promise<FileHashes> {
  worker ??= startWorker()
  lastId += 1
  const job = { id: lastId, file, partBytes } satisfies HashJob
  return new Promise((resolve, reject) => {
    waiting.set(job.id, { resolve, reject })
    worker?.postMessage(job)
  })
}

/** Browsers do not read a file that was changed after it was chosen; a file that is away has another error. */
export function problemOf(file: File): Promise<'changed' | 'unreadable' | null> {
  const read = file.slice(0, 1).arrayBuffer()
  return read.then(
    () => null,
    ({ name }: DOMException) => (name === 'NotReadableError' ? 'changed' : 'unreadable'),
  )
}
