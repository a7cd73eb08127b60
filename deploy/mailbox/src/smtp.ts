import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerEnvelope, type SMTPServerSession } from 'smtp-server'
import { type Fault, type FaultRequest, refusalOf } from './fault.ts'
import { MAX_MESSAGE_BYTES, readMessage } from './message.ts'
import type { Messages } from './messages.ts'

type Answer = (error?: Error | null) => void

/** The SMTP port. It takes messages for anybody, or does to them what a fault says. */
export class SmtpPort {
  readonly #messages: Messages
  readonly #host: string
  /** By the id of their session. */
  readonly #sockets = new Map<string, Socket>()
  /** The fault of each message that is being sent. */
  readonly #hit = new WeakMap<SMTPServerEnvelope, Fault | undefined>()
  readonly #server = createServer((socket) => this.#accept(socket))
  readonly #smtp = new SMTPServer({
    logger: false,
    disableReverseLookup: true,
    size: MAX_MESSAGE_BYTES,
    rejectOversized: true,
    maxClients: 200,
    maxRecipients: 100,
    socketTimeout: 60_000,
    // No certificate could be trusted here. Any name and password are accepted, so that a client can be tried with them.
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    allowInsecureAuth: true,
    onAuth: ({ username }, _session, callback) => callback(null, { user: username || 'anybody' }),
    onRcptTo: ({ address }, { envelope }, callback) => this.#takeRecipient(address, envelope, callback),
    onData: (stream, session, callback) => this.#takeContent(stream, session, callback),
  })
  port: number
  /** What goes wrong at present. */
  fault: Fault | undefined

  constructor(host: string, port: number, messages: Messages) {
    this.#host = host
    this.port = port
    this.#messages = messages
    // What clients do wrong, such as leaving amid a message, is answered or over.
    this.#smtp.on('error', () => {})
  }

  /** @throws Error when the port is taken */
  async open(): Promise<void> {
    if (this.#server.listening) return
    this.#server.listen(this.port, this.#host)
    await once(this.#server, 'listening')
    this.port = (this.#server.address() as AddressInfo).port
  }

  /** Ends all connections, and refuses new ones. */
  async close(): Promise<void> {
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#sockets.values()) socket.destroy()
    await closed
  }

  async setFault(fault: FaultRequest | undefined): Promise<void> {
    this.fault = fault && { ...fault, hits: 0 }
    await (fault?.reply === 'connection-refused' ? this.close() : this.open())
  }

  #accept(socket: Socket): void {
    const id = randomUUID()
    this.#sockets.set(id, socket)
    socket.once('close', () => this.#sockets.delete(id))
    this.#smtp.connect(socket, { id })
  }

  /** The first recipient of a message decides whether a fault hits it. */
  #takeRecipient(address: string, envelope: SMTPServerEnvelope, answer: Answer): void {
    if (!this.#hit.has(envelope)) this.#hit.set(envelope, this.#nextFault(address))
    const fault = this.#hit.get(envelope)
    answer(fault && fault.at !== 'content' ? refusalOf(fault) : null)
  }

  #nextFault(recipient: string): Fault | undefined {
    const { fault } = this
    if (!fault || fault.hits === fault.times || (fault.to && fault.to !== recipient)) return undefined
    fault.hits++
    return fault
  }

  #takeContent(stream: SMTPServerDataStream, session: SMTPServerSession, answer: Answer): void {
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => {
      if (stream.sizeExceeded) chunks.length = 0
      else chunks.push(chunk)
    })
    // The client left before the end of the message: nothing was promised.
    stream.on('error', () => {})
    stream.once('end', () => {
      if (stream.sizeExceeded) return answer()
      this.#finish(Buffer.concat(chunks), session, answer).catch((error) => {
        console.error('a message cannot be kept', error)
        answer(Object.assign(new Error('The message cannot be kept now'), { responseCode: 452 }))
      })
    })
  }

  async #finish(raw: Buffer, { id, envelope }: SMTPServerSession, answer: Answer): Promise<void> {
    const fault = this.#hit.get(envelope)
    // Until the client leaves, or the connection was idle for too long.
    if (fault?.reply === 'hang') return
    const refusal = fault && refusalOf(fault)
    if (refusal) return answer(refusal)
    const sender = envelope.mailFrom ? envelope.mailFrom.address : ''
    const recipients = envelope.rcptTo.map(({ address }) => address)
    await this.#messages.add(await readMessage(raw, sender, recipients))
    if (fault?.reply === 'drop-after-data') this.#sockets.get(id)?.destroy()
    else answer()
  }
}
