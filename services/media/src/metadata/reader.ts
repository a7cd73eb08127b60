import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { PhotoFacts } from './facts.ts'
import type { Groups } from './groups.ts'

const THREAD = new URL('./thread.ts', import.meta.url)

/** What the thread is asked. */
export interface Question {
  file: Uint8Array
  withGroups: boolean
}

export interface Reading {
  facts: PhotoFacts
  /** Empty when they were not asked for. */
  groups: Groups
}

export interface MetadataReader {
  /** What a file of tags says; one that cannot be understood says nothing. Throws when it could not be read in time. */
  read(tags: Buffer): Promise<PhotoFacts>
  /** The same, and all tags as somebody may look at them. */
  readAll(tags: Buffer): Promise<Reading>
  stop(): Promise<void>
}

/** Reads metadata in a thread with bounded memory, one file at a time; a file that takes too long loses the thread. */
export function startMetadataReader(timeoutMs = 10_000, script = THREAD): MetadataReader {
  let thread: Worker | undefined
  let last: Promise<unknown> = Promise.resolve()

  async function startThread(): Promise<Worker> {
    const started = new Worker(script, {
      resourceLimits: { maxOldGenerationSizeMb: 128 },
      // It needs none; and in watch mode an environment would make it post the names of its modules as well.
      env: {},
    })
    started.unref()
    started.on('error', () => {})
    await once(started, 'message')
    return started
  }

  async function readOne(question: Question): Promise<Reading> {
    thread ??= await startThread()
    try {
      const answer = once(thread, 'message', { signal: AbortSignal.timeout(timeoutMs) })
      thread.postMessage(question)
      const [reading] = await answer
      return reading
    } catch (error) {
      await thread.terminate()
      thread = undefined
      throw new Error('the metadata could not be read in time', { cause: error })
    }
  }

  function ask(tags: Buffer, withGroups: boolean): Promise<Reading> {
    const reading = last.then(() => readOne({ file: new Uint8Array(tags), withGroups }))
    last = reading.catch(() => {})
    return reading
  }

  return {
    read: async (tags) => (await ask(tags, false)).facts,
    readAll: (tags) => ask(tags, true),
    async stop() {
      await last
      await thread?.terminate()
    },
  }
}
