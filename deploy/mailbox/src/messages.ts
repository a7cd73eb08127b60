import { existsSync } from 'node:fs'
import { appendFile, readFile, rename, writeFile } from 'node:fs/promises'
import { MAX_MESSAGE_BYTES, type Message } from './message.ts'

/** So large are kept messages on average at most: 32 MB with the default limit. */
const MAX_AVERAGE_BYTES = 16 * 1024

/** The messages that are kept, the newest first; also in a file of one JSON text a line, so that they survive a restart. */
export class Messages {
  #messages: Message[] = []
  #size = 0
  readonly #file: string | undefined
  readonly #maxMessages: number
  /** How many messages the file has. */
  #lines = 0
  /** One write after the other. */
  #work: Promise<unknown> = Promise.resolve()
  /** Grows with every change. */
  changes = 0

  constructor(file: string | undefined, maxMessages: number) {
    this.#file = file
    this.#maxMessages = maxMessages
  }

  /** Reads the file, if there is one. */
  async load(): Promise<void> {
    if (!this.#file || !existsSync(this.#file)) return
    const text = await readFile(this.#file, 'utf8')
    for (const message of text.split('\n').flatMap(readLine)) this.#keep(message)
    await this.#rewrite()
  }

  /** Resolves when the message is in the file, too. @throws Error when it cannot be written; then it is not kept */
  async add(message: Message): Promise<void> {
    await this.#write(async (file) => {
      await appendFile(file, lineOf(message), { mode: 0o600 })
      this.#lines++
    })
    this.#keep(message)
    // The file still has what was forgotten. It is written anew when that is half of it.
    if (this.#lines > 2 * this.#messages.length + 100) await this.#rewrite()
  }

  async clear(): Promise<void> {
    this.#messages = []
    this.#size = 0
    this.changes++
    await this.#rewrite()
  }

  /** Those with this text in the address of a recipient; upper and lower case are the same. */
  find(text = ''): Message[] {
    const part = text.trim().toLowerCase()
    return this.#messages.filter(({ to }) => to.some((address) => address.toLowerCase().includes(part)))
  }

  get(id: string): Message | undefined {
    return this.#messages.find((message) => message.id === id)
  }

  #keep(message: Message): void {
    this.#messages.unshift(message)
    this.#size += message.source.length
    this.changes++
    const maxSize = Math.max(this.#maxMessages * MAX_AVERAGE_BYTES, MAX_MESSAGE_BYTES)
    while (this.#messages.length > this.#maxMessages || this.#size > maxSize)
      this.#size -= this.#messages.pop()?.source.length ?? 0
  }

  #rewrite(): Promise<void> {
    return this.#write(async (file) => {
      const messages = this.#messages.toReversed()
      await writeFile(`${file}.new`, messages.map(lineOf), { mode: 0o600 })
      await rename(`${file}.new`, file)
      this.#lines = messages.length
    })
  }

  #write(write: (file: string) => Promise<void>): Promise<void> {
    const file = this.#file
    if (!file) return Promise.resolve()
    const done = this.#work.then(() => write(file))
    this.#work = done.catch(() => {})
    return done
  }
}

/** It begins with the line break: a line of which only a part could be written does not spoil the next one. */
function lineOf(message: Message): string {
  return `\n${JSON.stringify(message)}`
}

/** Nothing for a line of which only a part was written. */
function readLine(line: string): Message[] {
  try {
    return line ? [JSON.parse(line)] : []
  } catch {
    return []
  }
}
