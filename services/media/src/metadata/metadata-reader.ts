import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { DisplayGroups } from './display-groups.ts'
import type { PhotoFacts } from './facts.ts'

const THREAD = new URL('./reader-thread.ts', import.meta.url)
const CHECK_MS = 100

/** What reading one file may take. */
interface Limits {
  /** Of the processor: a busy machine makes no file slow. Cameras' files take a hundredth. */
  cpuMs: number
  /** Of the clock, for a thread that waits for what never comes. */
  wallMs: number
}
const LIMITS: Limits = { cpuMs: 3_000, wallMs: 60_000 }

/** What the thread is asked. */
export interface ReadRequest {
  file: Uint8Array
  withGroups: boolean
}

export interface FileMetadata {
  facts: PhotoFacts
  /** Empty when they were not asked for. */
  groups: DisplayGroups
}

/** Reading the file took more time or memory than any photo needs: reading it again would too. */
export class UnreadableMetadataError extends Error {}

export interface MetadataReader {
  /** What a file of tags says; one that cannot be understood says nothing. @throws UnreadableMetadata */
  read(tags: Buffer): Promise<PhotoFacts>
  /** The same, and all tags as somebody may look at them. @throws UnreadableMetadata */
  readAll(tags: Buffer): Promise<FileMetadata>
  stop(): Promise<void>
}

/** A promise that is rejected when the thread is beyond its limits, and what ends the watch. */
async function watch(thread: Worker, { cpuMs, wallMs }: Limits) {
  const began = performance.now()
  const before = await thread.cpuUsage()
  const { promise, reject } = Promise.withResolvers<never>()
  const check = async () => {
    if (performance.now() - began > wallMs) reject(new Error(`no answer in ${wallMs} ms`))
    const { user, system } = await thread.cpuUsage(before)
    if (user + system > cpuMs * 1000) reject(new Error(`more than ${cpuMs} ms of the processor`))
  }
  // A thread that is gone has no usage; that it is gone is told by an event.
  const timer = setInterval(() => check().catch(() => {}), CHECK_MS)
  return { exceeded: promise, end: () => clearInterval(timer) }
}

/** Reads metadata in a thread with bounded memory, one file at a time; a file that takes too much loses the thread. */
export function startMetadataReader(limits = LIMITS, script = THREAD): MetadataReader {
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

  async function readOne(question: ReadRequest): Promise<FileMetadata> {
    thread ??= await startThread()
    const { exceeded, end } = await watch(thread, limits)
    try {
      const answer = once(thread, 'message')
      thread.postMessage(question)
      const [reading] = await Promise.race([answer, exceeded])
      return reading
    } catch (error) {
      await thread.terminate()
      thread = undefined
      throw new UnreadableMetadataError('the metadata takes too much to be read', { cause: error })
    } finally {
      end()
    }
  }

  function ask(tags: Buffer, withGroups: boolean): Promise<FileMetadata> {
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
