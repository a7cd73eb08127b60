import type { SMTPServerDataStream, SMTPServerEnvelope, SMTPServerSession } from 'smtp-server'
import type { Fault } from '../state/faults.ts'
import { MAX_MESSAGE_BYTES, toStored } from '../state/message.ts'
import type { MailboxState } from '../state/state.ts'

/** A client that goes on sending beyond the limit loses its connection here. */
const MAX_SENT_BYTES = 8 * MAX_MESSAGE_BYTES

/** Longer than the time limit of any client. */
const HANG_MS = 120_000

type Answer = (error?: Error | null) => void

/** Takes messages from SMTP sessions, or does to them what a fault says. */
export class Receiver {
  readonly #state: MailboxState
  readonly #dropConnection: (sessionId: string) => void
  /** The fault of each message that is being sent. */
  readonly #faults = new WeakMap<SMTPServerEnvelope, Fault | undefined>()

  constructor(state: MailboxState, dropConnection: (sessionId: string) => void) {
    this.#state = state
    this.#dropConnection = dropConnection
  }

  /** Every address is accepted. The first recipient of a message decides whether a fault hits it. */
  takeRecipient(address: string, { envelope }: SMTPServerSession, answer: Answer): void {
    if (!this.#faults.has(envelope)) {
      this.#state.stats.attempts++
      this.#faults.set(envelope, this.#state.faults.take(address))
    }
    const fault = this.#faults.get(envelope)
    answer(fault && fault.at !== 'content' ? this.#refusal(fault) : null)
  }

  takeContent(stream: SMTPServerDataStream, session: SMTPServerSession, answer: Answer): void {
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => {
      if (!stream.sizeExceeded) chunks.push(chunk)
      else chunks.length = 0
      if (stream.byteLength > MAX_SENT_BYTES) this.#dropConnection(session.id)
    })
    // The client left before the end of the message: nothing was promised.
    stream.on('error', () => {})
    stream.once('end', () => {
      if (stream.sizeExceeded) {
        this.#state.stats.tooBig++
        return answer()
      }
      this.#finish(joined(chunks), session, answer).catch((error) => {
        console.error('a message cannot be kept', error)
        this.#state.stats.failed++
        answer(Object.assign(new Error('The message cannot be kept now'), { responseCode: 452 }))
      })
    })
  }

  async #finish(raw: Buffer, { id, envelope }: SMTPServerSession, answer: Answer): Promise<void> {
    const { stats, messages } = this.#state
    const fault = this.#faults.get(envelope)
    if (fault?.reply === 'hang') {
      stats.hung++
      setTimeout(() => this.#dropConnection(id), HANG_MS).unref()
      return
    }
    const refusal = fault && this.#refusal(fault)
    if (refusal) return answer(refusal)

    const sender = envelope.mailFrom ? envelope.mailFrom.address : ''
    const recipients = envelope.rcptTo.map(({ address }) => address)
    await messages.add(await toStored(raw, sender, recipients))
    if (fault?.reply === 'drop-after-data') {
      stats.dropped++
      return this.#dropConnection(id)
    }
    stats.accepted++
    answer()
  }

  /** The error that busy and reject answer; undefined for other faults. */
  #refusal({ reply, code }: Fault): Error | null {
    if (reply === 'busy') {
      this.#state.stats.busy++
      return Object.assign(new Error('The mailbox is told to be busy'), { responseCode: code })
    }
    if (reply === 'reject') {
      this.#state.stats.rejected++
      return Object.assign(new Error('The mailbox is told to reject this'), { responseCode: code })
    }
    return null
  }
}

/** In memory of its own: parts of shared memory would keep all of it while the message is kept. */
function joined(chunks: Buffer[]): Buffer {
  const whole = Buffer.allocUnsafeSlow(chunks.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const chunk of chunks) offset += chunk.copy(whole, offset)
  return whole
}
