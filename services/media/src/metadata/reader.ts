import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Logger } from '@skyfolio/kit'
import { factsOf, type PhotoFacts } from './facts.ts'

/** EXIF and XMP stand at the beginning; what cameras put behind this is previews and depth maps. */
const HEAD_BYTES = 1024 * 1024

export interface MetadataReader {
  /** What the file says. A file that cannot be understood, or not in time, says nothing; it never throws. */
  read(file: Buffer): Promise<PhotoFacts>
  stop(): Promise<void>
}

/** Reads metadata in a thread with bounded memory, one file at a time; a file that takes too long loses the thread. */
export function startMetadataReader(logger: Logger, timeoutMs = 5_000): MetadataReader {
  let thread: Worker | undefined
  let last: Promise<unknown> = Promise.resolve()

  function startThread(): Worker {
    const started = new Worker(new URL('./thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: 128 },
    })
    started.unref()
    started.on('error', () => {})
    return started
  }

  async function ask(file: Buffer): Promise<PhotoFacts> {
    thread ??= startThread()
    const answer = once(thread, 'message', { signal: AbortSignal.timeout(timeoutMs) })
    thread.postMessage(new Uint8Array(file.subarray(0, HEAD_BYTES)))
    const [facts] = await answer
    return facts
  }

  async function readOne(file: Buffer): Promise<PhotoFacts> {
    try {
      return await ask(file)
    } catch (error) {
      logger.warn({ err: error }, 'the metadata of a photo could not be read')
      await thread?.terminate()
      thread = undefined
      return factsOf({})
    }
  }

  return {
    read(file) {
      const reading = last.then(() => readOne(file))
      last = reading
      return reading
    },
    async stop() {
      await last
      await thread?.terminate()
    },
  }
}
