import { request as httpRequest } from 'node:http'
import { connect, type Socket } from 'node:net'
import { ORIGIN, type TestGateway } from './support.ts'

/** One raw connection, and what became of it. */
export interface RawClient {
  socket: Socket
  received: string
  isClosed: boolean
  /** The status of the response; 0 before there is one. */
  status(): number
}

const RESPONSE_START = 600

/** Opens connections from one address and sends the same beginning of a request on each. */
export function openMany(gateway: TestGateway, localAddress: string, count: number, texts: string[]): RawClient[] {
  const { hostname, port } = new URL(gateway.url)
  return Array.from({ length: count }, (_, index) => {
    const socket = connect({ host: hostname, port: Number(port), localAddress })
    const client: RawClient = {
      socket,
      received: '',
      isClosed: false,
      status: () => Number(/^HTTP\/1\.1 (\d{3})/.exec(client.received)?.[1] ?? 0),
    }
    socket.on('data', (chunk) => {
      if (client.received.length < RESPONSE_START) client.received += chunk
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      client.isClosed = true
    })
    socket.write(texts[index % texts.length] ?? '')
    return client
  })
}

/** How many of the clients have which status. */
export function countStatuses(clients: RawClient[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const client of clients) counts[client.status()] = (counts[client.status()] ?? 0) + 1
  return counts
}

/** The head of a request whose body has this length. */
export function headOf(line: string, length: number, type = 'application/json', headers: string[] = []): string {
  const lines = [`${line} HTTP/1.1`, 'Host: x', `Origin: ${ORIGIN}`, `Content-Type: ${type}`, ...headers]
  return `${lines.join('\r\n')}\r\nContent-Length: ${length}\r\n\r\n`
}

/** Sends a whole request from an address; resolves with its status. */
export function sendFrom(
  gateway: TestGateway,
  localAddress: string,
  line: string,
  { body, headers = {} }: { body?: string | Buffer; headers?: Record<string, string> } = {},
): Promise<number> {
  const [method, path] = line.split(' ')
  return new Promise((resolve, reject) => {
    const all = { origin: ORIGIN, ...(body && { 'content-type': 'application/json' }), ...headers }
    const request = httpRequest(`${gateway.url}${path}`, { method, localAddress, headers: all, agent: false })
    request.on('error', reject)
    request.on('response', (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
      response.on('error', reject)
    })
    request.end(body)
  })
}
