import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy in front of a server that a test can observe, freeze and cut. */
export interface TcpProxy {
  url: string
  /** Number of open connections. */
  connections(): number
  /** Bytes from clients that were forwarded. */
  sent(): number
  /** Stops all traffic: connections stay open, new ones are accepted, and nothing is forwarded. */
  freeze(): void
  /** Freezes when so many more bytes from clients were forwarded, however busy the machine is; resolves then. */
  freezeAfter(bytes: number): Promise<void>
  /** Continues where it was frozen. */
  thaw(): void
  /** Ends all open connections, as a line that breaks does; new ones are accepted. */
  cut(): void
  close(): Promise<void>
}

/** Forwards TCP connections to the server of this URL. */
export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port, protocol } = new URL(target)
  const sockets = new Set<Socket>()
  const clients = new Set<Socket>()
  let frozen = false
  let sent = 0
  let breakpoint: { at: number; reached: () => void } | null = null

  function track(socket: Socket, group: Set<Socket>[]): void {
    for (const set of group) set.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => {
      for (const set of group) set.delete(socket)
    })
  }

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    track(client, [sockets, clients])
    track(upstream, [sockets])
    client.once('close', () => upstream.destroy())
    upstream.once('close', () => client.destroy())
    client.on('data', (chunk) => {
      sent += chunk.length
      pass(chunk, client, upstream)
      if (!breakpoint || sent < breakpoint.at) return
      freeze()
      breakpoint.reached()
      breakpoint = null
    })
    upstream.on('data', (chunk) => pass(chunk, upstream, client))
    if (frozen) for (const socket of [client, upstream]) socket.pause()
  })

  function freeze(): void {
    frozen = true
    for (const socket of sockets) socket.pause()
  }

  function cut(): void {
    for (const socket of sockets) socket.destroy()
  }

  function pass(chunk: Buffer, from: Socket, to: Socket): void {
    if (to.write(chunk)) return
    from.pause()
    to.once('drain', () => {
      if (!frozen) from.resume()
    })
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `${protocol}//127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => clients.size,
    sent: () => sent,
    freeze,
    freezeAfter: (bytes) =>
      new Promise((reached) => {
        breakpoint = { at: sent + bytes, reached }
      }),
    thaw() {
      frozen = false
      for (const socket of sockets) socket.resume()
    },
    cut,
    async close() {
      server.close()
      cut()
    },
  }
}
