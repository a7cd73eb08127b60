import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { freePort } from '@skyfolio/testkit/servers'

/** How a node is cut off: nothing passes and nobody is told, or connections break and new ones are refused. */
export type CutOff = 'silent' | 'refusing'

interface Line {
  to: string
  from: string | undefined
  target: number
  port: number
  server: Server
}

interface Connection {
  from: string
  to: string
  sockets: Socket[]
}

/** Whoever is no node: Skyfolio. */
const CLIENT = 'client'

/** The TCP lines between the nodes of a topology and to them, so that a node can be cut off from all others. */
export class Network {
  readonly #lines: Line[] = []
  readonly #connections = new Set<Connection>()
  readonly #cutOff = new Map<string, CutOff>()
  readonly #addresses = new Map<string, string>()

  /** The node connects from this address, which tells its connections on a line that several use. */
  identify(node: string, address: string): void {
    this.#addresses.set(address, node)
  }

  /** Opens a line to the port of a node, for one other node or for everybody. Returns the line's port. */
  async open(to: string, target: number, from?: string): Promise<number> {
    const line: Line = { to, from, target, port: await freePort(), server: createServer() }
    line.server.on('connection', (socket) => this.#connect(line, socket))
    this.#lines.push(line)
    await listen(line)
    return line.port
  }

  /** Nothing of the node reaches another one, or the reverse. */
  cutOff(node: string, how: CutOff): void {
    this.#cutOff.set(node, how)
    for (const { sockets } of this.#connectionsOf(node)) {
      for (const socket of sockets) how === 'silent' ? socket.pause() : socket.resetAndDestroy()
    }
    if (how === 'refusing') for (const { server } of this.#linesTo(node)) server.close()
  }

  /** Ends the cut: what was held up goes on. */
  async rejoin(node: string): Promise<void> {
    this.#cutOff.delete(node)
    for (const { sockets } of this.#connectionsOf(node)) for (const socket of sockets) socket.resume()
    for (const line of this.#linesTo(node)) if (!line.server.listening) await listen(line)
  }

  #linesTo(node: string): Line[] {
    return this.#lines.filter(({ to }) => to === node)
  }

  #connectionsOf(node: string): Connection[] {
    return [...this.#connections].filter(({ from, to }) => from === node || to === node)
  }

  #connect(line: Line, socket: Socket): void {
    const from = line.from ?? this.#addresses.get(socket.remoteAddress ?? '') ?? CLIENT
    const cut = () => this.#cutOff.get(from) ?? this.#cutOff.get(line.to)
    if (cut() === 'refusing') {
      socket.resetAndDestroy()
      return
    }
    const upstream = connect(line.target, '127.0.0.1')
    const connection = { from, to: line.to, sockets: [socket, upstream] }
    this.#connections.add(connection)
    socket.once('close', () => this.#connections.delete(connection))
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      one.setNoDelay(true)
      one.on('error', () => {})
      one.once('close', () => other.destroySoon())
      one.on('data', (chunk) => {
        if (other.write(chunk)) return
        one.pause()
        other.once('drain', () => {
          if (cut() !== 'silent') one.resume()
        })
      })
      if (cut() === 'silent') one.pause()
    }
  }
}

async function listen({ server, port }: Line): Promise<void> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
}
