import { randomUUID } from 'node:crypto'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { MAX_MESSAGE_BYTES } from '../state/message.ts'
import type { MailboxState } from '../state/state.ts'
import { Receiver } from './receiver.ts'

const MAX_CONNECTIONS = 200
const IDLE_MS = 60_000
const MAX_RECIPIENTS = 100

/** The SMTP port. It can be closed for a time, so that connections are refused, and opened again. */
export class SmtpListener {
  readonly #state: MailboxState
  readonly #smtp: SMTPServer
  readonly #server: Server
  /** By the id of their session. */
  readonly #sockets = new Map<string, Socket>()
  #port: number
  #isStopped = false
  /** Opening and closing happen one after the other. */
  #work: Promise<void> = Promise.resolve()

  constructor(state: MailboxState) {
    this.#state = state
    this.#port = state.settings.smtpPort
    const receiver = new Receiver(state, (id) => this.#sockets.get(id)?.destroy())
    this.#smtp = new SMTPServer({
      name: 'mailbox',
      banner: 'no mail leaves it',
      logger: false,
      disableReverseLookup: true,
      size: MAX_MESSAGE_BYTES,
      rejectOversized: true,
      maxClients: MAX_CONNECTIONS,
      maxRecipients: MAX_RECIPIENTS,
      socketTimeout: IDLE_MS,
      // No certificate could be trusted here. Any name and password are accepted, so that a client can be tried with them.
      disabledCommands: ['STARTTLS'],
      authOptional: true,
      allowInsecureAuth: true,
      onAuth: ({ username }, _session, callback) => callback(null, { user: username || 'anybody' }),
      onRcptTo: ({ address }, session, callback) => receiver.takeRecipient(address, session, callback),
      onData: (stream, session, callback) => receiver.takeContent(stream, session, callback),
    })
    // What clients do wrong, such as leaving amid a message, is answered or over.
    this.#smtp.on('error', () => {})
    this.#server = createServer((socket) => this.#accept(socket))
    state.faults.onChange(() => {
      if (this.#isStopped || this.#server.listening === !state.faults.refusesConnections) return
      this.#set(!state.faults.refusesConnections).catch((error) =>
        console.error('the SMTP port cannot be opened', error),
      )
    })
  }

  get port(): number {
    return this.#port
  }

  /** @throws Error when the port is taken */
  async open(): Promise<void> {
    await this.#set(true)
    this.#port = (this.#server.address() as AddressInfo).port
  }

  async close(): Promise<void> {
    this.#isStopped = true
    await this.#set(false)
  }

  #accept(socket: Socket): void {
    const id = randomUUID()
    this.#state.stats.connections++
    this.#sockets.set(id, socket)
    socket.once('close', () => this.#sockets.delete(id))
    this.#smtp.connect(socket, { id })
  }

  #set(isOpen: boolean): Promise<void> {
    this.#work = this.#work.catch(() => {}).then(() => (isOpen ? this.#listen() : this.#stopListening()))
    return this.#work
  }

  async #listen(): Promise<void> {
    if (this.#server.listening) return
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(this.#port, this.#state.settings.host, () => {
        this.#server.off('error', reject)
        resolve()
      })
    })
  }

  async #stopListening(): Promise<void> {
    if (!this.#server.listening) return
    const closed = new Promise((resolve) => this.#server.close(resolve))
    for (const socket of this.#sockets.values()) socket.destroy()
    await closed
  }
}
