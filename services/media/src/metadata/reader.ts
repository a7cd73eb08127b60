import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { PhotoFacts } from './facts.ts'

const THREAD = new URL('./thread.ts', import.meta.url)

export interface MetadataReader {
  /** What a file of tags says; one that cannot be understood says nothing. Throws when it could not be read in time. */
  read(tags: Buffer): Promise<PhotoFacts>
  stop(): Promise<void>
}

/** Reads metadata in a thread with bounded memory, one file at a time; a file that takes too long loses the thread. */
export function startMetadataReader(timeoutMs = 10_000, script = THREAD): MetadataReader {
  let thread: Worker | undefined
  let last: Promise<unknown> = Promise.resolve()

  async function startThread(): Promise<Worker> {
    const started = new Worker(script, {
      resourceLimits: { maxOldGenerationSizeMb: 128 },
    })
    started.unref()
    started.on('error', () => {})
    await once(started, 'message')
    return started
  }

  async function readOne(tags: Buffer): Promise<PhotoFacts> {
    thread ??= await startThread()
    try {
      const answer = once(thread, 'message', { signal: AbortSignal.timeout(timeoutMs) })
      thread.postMessage(new Uint8Array(tags))
      const [facts] = await answer
      return facts
    } catch (error) {
      await thread.terminate()
      thread = undefined
      throw new Error('the metadata could not be read in time', { cause: error })
    }
  }

  return {
    read(tags) {
      const reading = last.then(() => readOne(tags))
      last = reading.catch(() => {})
      return reading
    },
    async stop() {
      await last
      await thread?.terminate()
    },
  }
}
