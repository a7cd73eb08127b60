import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

const REOPEN_ATTEMPTS = 20
const REOPEN_PAUSE_MS = 250

/** A port that can be closed for a time, so that connections are refused, and opened again. */
export class Listener {
  readonly #server: Server
  readonly #host: string
  #port: number
  /** Opening and closing happen one after the other. */
  #work: Promise<void> = Promise.resolve()

  constructor(app: FastifyInstance, host: string, port: number) {
    this.#server = createServer((request, response) => app.routing(request, response))
    this.#host = host
    this.#port = port
  }

  get port(): number {
    return this.#port
  }

  /** @throws Error when the port is taken */
  async open(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(this.#port, this.#host, () => {
        this.#server.off('error', reject)
        resolve()
      })
    })
    this.#port = (this.#server.address() as AddressInfo).port
  }

  /** Opens or closes the port if that is not its state. */
  set(isOpen: boolean): Promise<void> {
    this.#work = this.#work.then(() => (isOpen ? this.#reopen() : this.#close()))
    return this.#work
  }

  async #close(): Promise<void> {
    if (!this.#server.listening) return
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#server.closeAllConnections()
    await closed
  }

  async #reopen(): Promise<void> {
    for (let attempt = 1; !this.#server.listening; attempt++) {
      try {
        await this.open()
      } catch (error) {
        if (attempt === REOPEN_ATTEMPTS) throw error
        await delay(REOPEN_PAUSE_MS)
      }
    }
  }
}
