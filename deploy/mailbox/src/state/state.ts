import type { MailboxSettings } from '../settings.ts'
import { Faults } from './faults.ts'
import { MessageFile } from './message-file.ts'
import { Messages } from './messages.ts'

/** What happened since the start, or since the counts were set to zero. Every attempt to send a message counts. */
export interface Stats {
  connections: number
  /** Messages whose recipient was named. */
  attempts: number
  /** Answered with 250: they are kept. */
  accepted: number
  /** Kept, and the connection was dropped before the answer. */
  dropped: number
  busy: number
  rejected: number
  hung: number
  tooBig: number
  /** Could not be written to the file. */
  failed: number
}

const NO_STATS: Stats = {
  connections: 0,
  attempts: 0,
  accepted: 0,
  dropped: 0,
  busy: 0,
  rejected: 0,
  hung: 0,
  tooBig: 0,
  failed: 0,
}

/** Everything that a running mailbox knows. */
export class MailboxState {
  readonly settings: MailboxSettings
  readonly messages: Messages
  readonly faults = new Faults()
  stats: Stats = { ...NO_STATS }

  constructor(settings: MailboxSettings) {
    this.settings = settings
    this.messages = new Messages(new MessageFile(settings.dataFile), settings.maxMessages)
  }

  /** @throws Error when the file exists and cannot be read */
  async load(): Promise<void> {
    await this.messages.load()
  }

  resetStats(): void {
    this.stats = { ...NO_STATS }
  }

  async stop(): Promise<void> {
    this.faults.clear()
    await this.messages.close()
  }
}
