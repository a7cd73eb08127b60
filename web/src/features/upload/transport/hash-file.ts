import type { HashJob, HashResult } from './hash-worker.ts'

let worker: Worker | undefined
let lastId = 0
const waiting = new Map<number, { resolve: (hash: string) => void; reject: (error: Error) => void }>()

function startWorker(): Worker {
  const started = new Worker(new URL('./hash-worker.ts', import.meta.url), { type: 'module' })
  started.onmessage = ({ data: { id, hash } }: MessageEvent<HashResult>) => {
    const job = waiting.get(id)
    waiting.delete(id)
    if (hash === null) job?.reject(new Error('The file cannot be read'))
    else job?.resolve(hash)
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

/** SHA-256 of a file in hexadecimal, computed off the main thread in slices. @throws when the file cannot be read. */
export function hashFile(file: File): Promise<string> {
  worker ??= startWorker()
  lastId += 1
  const job = { id: lastId, file } satisfies HashJob
  return new Promise((resolve, reject) => {
    waiting.set(job.id, { resolve, reject })
    worker?.postMessage(job)
  })
}

/** False when the file was changed or removed after it was chosen. */
export async function isReadable(file: File): Promise<boolean> {
  return file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    )
}
