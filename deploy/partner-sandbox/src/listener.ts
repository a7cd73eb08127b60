import { once } from 'node:events'
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
  port: number
  /** Opening and closing happen one after the other. */
  #work: Promise<void> = Promise.resolve()

  constructor(app: FastifyInstance, host: string, port: number) {
    this.#server = createServer((request, response) => app.routing(request, response))
    this.#host = host
    this.port = port
  }

  /** Opens or closes the port if that is not its state. @throws Error when the port is taken */
  set(isOpen: boolean): Promise<void> {
    this.#work = this.#work.then(() => (isOpen ? this.#open() : this.#close()))
    return this.#work
  }

  async #open(): Promise<void> {
    for (let attempt = 1; !this.#server.listening; attempt++) {
      this.#server.listen(this.port, this.#host)
      // While it was closed, the system may have given it to somebody's connection.
      await once(this.#server, 'listening').catch((error) => {
        if (attempt === REOPEN_ATTEMPTS) throw error
        return delay(REOPEN_PAUSE_MS)
      })
    }
    this.port = (this.#server.address() as AddressInfo).port
  }

  async #close(): Promise<void> {
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }
}
