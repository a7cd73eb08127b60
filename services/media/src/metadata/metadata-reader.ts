import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { DisplayGroups } from './display-groups.ts'
import type { PhotoFacts } from './facts.ts'

const THREAD = new URL('./reader-thread.ts', import.meta.url)
const CHECK_MS = 100

/** Limits for reading one file. */
const LIMITS = {
  /** CPU time, which a busy machine does not increase. Files of cameras take a hundredth. */
  cpuMs: 3_000,
  /** Elapsed time, for a thread that waits forever. */
  wallMs: 60_000,
}

/** Message to the thread. */
export interface ReadRequest {
  file: Uint8Array
  withGroups: boolean
}

export interface FileMetadata {
  facts: PhotoFacts
  /** Empty unless requested. */
  groups: DisplayGroups
}

/** Reading the file exceeded the limits. A further attempt would exceed them too. */
export class UnreadableMetadataError extends Error {}

export type MetadataReader = ReturnType<typeof startMetadataReader>

/** Reads metadata in a thread with bounded memory, one file at a time; the thread ends with a file that exceeds the limits. */
export function startMetadataReader(limits = LIMITS, script = THREAD) {
  let thread: Worker | undefined
  let last: Promise<unknown> = Promise.resolve()

  async function startThread(): Promise<Worker> {
    const started = new Worker(script, {
      // Node ends the thread 16 MB before V8 aborts the process. A larger young generation can become old in one collection.
      resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 },
      // The thread needs none, and in watch mode an environment would make it post the names of its modules as messages.
      env: {},
    })
    started.unref()
    started.on('error', () => {})
    await Promise.race([once(started, 'message'), once(started, 'exit').then(() => Promise.reject(threadEnded()))])
    return started
  }

  /** Watches a thread that lives: one that ended after its last file is replaced. */
  async function watchThread(): Promise<WatchedThread> {
    const watched = thread && (await watch(thread, limits).catch(() => undefined))
    if (watched) return watched
    thread = undefined
    thread = await startThread()
    return watch(thread, limits)
  }

  async function readOne(request: ReadRequest): Promise<FileMetadata> {
    const { thread: current, failed, end } = await watchThread()
    try {
      const responding = once(current, 'message')
      current.postMessage(request)
      const [response] = await Promise.race([responding, failed])
      return response
    } catch (error) {
      thread = undefined
      await current.terminate()
      throw new UnreadableMetadataError('reading the metadata exceeds the limits', { cause: error })
    } finally {
      end()
    }
  }

  return {
    /**
     * The facts in extracted tags, all null when they cannot be parsed; `withGroups`: and all tags for display.
     * @throws UnreadableMetadataError
     */
    read(tags: Buffer, withGroups: boolean): Promise<FileMetadata> {
      const reading = last.then(() => readOne({ file: new Uint8Array(tags), withGroups }))
      last = reading.catch(() => {})
      return reading
    },
    async stop(): Promise<void> {
      await last
      await thread?.terminate()
    },
  }
}

const threadEnded = () => new Error('the thread ended')

interface WatchedThread {
  thread: Worker
  /** Rejects when the thread exceeds its limits or ends. */
  failed: Promise<never>
  /** Stops watching. */
  end(): void
}

/** @throws when the thread has ended */
async function watch(thread: Worker, { cpuMs, wallMs }: typeof LIMITS): Promise<WatchedThread> {
  const began = performance.now()
  const { promise: failed, reject } = Promise.withResolvers<never>()
  const rejectEnded = () => reject(threadEnded())
  thread.once('exit', rejectEnded)
  const before = await Promise.race([thread.cpuUsage(), failed])
  const check = async () => {
    if (performance.now() - began > wallMs) reject(new Error(`no response within ${wallMs} ms`))
    const { user, system } = await thread.cpuUsage(before)
    if (user + system > cpuMs * 1000) reject(new Error(`more than ${cpuMs} ms of CPU time`))
  }
  // A thread that has exited has no usage; its exit is reported by an event.
  const timer = setInterval(() => check().catch(() => {}), CHECK_MS)
  function end(): void {
    clearInterval(timer)
    thread.off('exit', rejectEnded)
  }
  return { thread, failed, end }
}
