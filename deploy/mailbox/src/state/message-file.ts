import { type FileHandle, mkdir, open, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { StoredMessage } from './message.ts'

const NEWLINE = 10

/** Keeps messages in a file of one JSON text a line, so that they survive a restart. Without a path it does nothing. */
export class MessageFile {
  readonly #path: string | undefined
  #handle: FileHandle | undefined
  /** One write after the other. */
  #work: Promise<unknown> = Promise.resolve()
  #lines = 0
  #bytes = 0

  constructor(path: string | undefined) {
    this.#path = path
  }

  /** How many messages are in the file. */
  get lines(): number {
    return this.#lines
  }

  /** Opens the file. @throws Error when it cannot be read */
  async load(): Promise<StoredMessage[]> {
    if (!this.#path) return []
    const content = await readFile(this.#path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return Buffer.alloc(0)
      throw error
    })
    const messages: StoredMessage[] = []
    let start = 0
    for (let end = content.indexOf(NEWLINE); end >= 0; end = content.indexOf(NEWLINE, start)) {
      messages.push(this.#read(content.toString('utf8', start, end), messages.length + 1))
      start = end + 1
    }
    // The process was killed while it wrote a line.
    const isCut = start < content.length
    this.#lines = messages.length
    if (isCut) await this.#write(messages)
    else await this.#open()
    return messages
  }

  /** @throws Error when it cannot be written */
  append(message: StoredMessage): Promise<void> {
    return this.#next(async () => {
      const line = lineOf(message)
      try {
        await this.#handle?.appendFile(line)
      } catch (error) {
        // A part of it may have been written; the next line must not continue it.
        await this.#handle?.truncate(this.#bytes)
        throw error
      }
      this.#bytes += Buffer.byteLength(line)
      this.#lines++
    })
  }

  /** @throws Error when it cannot be written */
  replace(messages: StoredMessage[]): Promise<void> {
    return this.#next(() => this.#write(messages))
  }

  async close(): Promise<void> {
    await this.#next(async () => this.#handle?.close())
  }

  #next<T>(write: () => Promise<T>): Promise<T | undefined> {
    if (!this.#path) return Promise.resolve(undefined)
    const done = this.#work.then(write)
    this.#work = done.catch(() => {})
    return done
  }

  async #write(messages: StoredMessage[]): Promise<void> {
    const path = this.#path as string
    await mkdir(dirname(path), { recursive: true })
    await writeFile(`${path}.new`, linesOf(messages), { mode: 0o600 })
    await rename(`${path}.new`, path)
    this.#lines = messages.length
    await this.#open()
  }

  async #open(): Promise<void> {
    const path = this.#path as string
    await mkdir(dirname(path), { recursive: true })
    await this.#handle?.close()
    this.#handle = await open(path, 'a', 0o600)
    this.#bytes = (await this.#handle.stat()).size
  }

  #read(line: string, number: number): StoredMessage {
    try {
      const saved = JSON.parse(line)
      if (typeof saved.id !== 'string' || !Array.isArray(saved.recipients)) throw new Error('it has another format')
      return { ...saved, raw: Buffer.from(saved.raw, 'base64') }
    } catch (error) {
      throw new Error(`${this.#path} cannot be read (line ${number}: ${error}). Repair or delete it.`)
    }
  }
}

function lineOf(message: StoredMessage): string {
  return `${JSON.stringify({ ...message, raw: message.raw.toString('base64') })}\n`
}

/** One after the other: all of them need not fit in memory once more. */
function* linesOf(messages: StoredMessage[]): Generator<string> {
  for (const message of messages) yield lineOf(message)
}
