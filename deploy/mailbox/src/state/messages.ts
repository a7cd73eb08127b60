import { MAX_MESSAGE_BYTES, type StoredMessage } from './message.ts'
import type { MessageFile } from './message-file.ts'

/** So large are kept messages on average at most: 64 MB with the default limit. */
const MAX_AVERAGE_BYTES = 32 * 1024

/** Of recipients; upper and lower case are the same. */
interface Recipient {
  to?: string | undefined
  /** A part of the address. */
  toPart?: string | undefined
}

interface Search extends Recipient {
  limit?: number
}

/** The messages that are kept, the oldest first. */
export class Messages {
  #messages: StoredMessage[] = []
  #bytes = 0
  readonly #file: MessageFile
  readonly #maxMessages: number
  readonly #maxBytes: number
  /** Grows with every change. */
  changes = 0

  constructor(file: MessageFile, maxMessages: number) {
    this.#file = file
    this.#maxMessages = maxMessages
    this.#maxBytes = Math.max(maxMessages * MAX_AVERAGE_BYTES, MAX_MESSAGE_BYTES)
  }

  get size(): number {
    return this.#messages.length
  }

  /** @throws Error when the file exists and cannot be read */
  async load(): Promise<void> {
    for (const message of await this.#file.load()) this.#keep(message)
  }

  /** Resolves when the message is in the file, too. @throws Error when it cannot be written; then it is not kept */
  async add(message: StoredMessage): Promise<void> {
    await this.#file.append(message)
    this.#keep(message)
    // The file still has what was forgotten. It is written anew when that is half of it.
    if (this.#file.lines > 2 * this.#messages.length + 100) await this.#file.replace(this.list())
  }

  async clear(): Promise<void> {
    this.#messages = []
    this.#bytes = 0
    this.changes++
    await this.#file.replace([])
  }

  /** The oldest first. */
  list(): StoredMessage[] {
    return [...this.#messages]
  }

  /** The newest first. */
  find({ to, toPart, limit = Number.POSITIVE_INFINITY }: Search): StoredMessage[] {
    const found: StoredMessage[] = []
    for (let index = this.#messages.length - 1; index >= 0 && found.length < limit; index--) {
      const message = this.#messages[index] as StoredMessage
      if (hasRecipient(message, { to, toPart })) found.push(message)
    }
    return found
  }

  /** How many have this part of an address among their recipients. */
  count(toPart: string): number {
    return this.#messages.filter((message) => hasRecipient(message, { toPart })).length
  }

  get(id: string): StoredMessage | undefined {
    return this.#messages.find((message) => message.id === id)
  }

  async close(): Promise<void> {
    await this.#file.close()
  }

  #keep(message: StoredMessage): void {
    this.#messages.push(message)
    this.#bytes += message.raw.length
    this.changes++
    let surplus = 0
    while (this.#messages.length - surplus > this.#maxMessages || this.#bytes > this.#maxBytes) {
      this.#bytes -= this.#messages[surplus++]?.raw.length ?? 0
    }
    if (surplus > 0) this.#messages.splice(0, surplus)
  }
}

function hasRecipient({ recipients }: StoredMessage, { to = '', toPart = '' }: Recipient): boolean {
  const [whole, part] = [to.trim().toLowerCase(), toPart.trim().toLowerCase()]
  return recipients.some((recipient) => {
    const address = recipient.toLowerCase()
    return (!whole || address === whole) && address.includes(part)
  })
}
