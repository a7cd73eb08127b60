import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { connect, type Socket } from 'node:net'

/** Where a system listens, and how it learns the addresses of its clients. */
export interface Endpoint {
  /** As browsers see it. */
  origin: string
  host: string
  port: number
  /** The system trusts X-Forwarded-For of this machine; else the addresses are those of the sockets. */
  proxied: boolean
}

export interface HttpResponse {
  /** 0: there was none. */
  status: number
  headers: IncomingHttpHeaders
  bytes: Buffer
  text: string
  milliseconds: number
}

export interface Sent {
  /** Sent as JSON; a text is JSON already. */
  json?: unknown
  form?: FormData
  /** Sent as they are, as a part of an upload. */
  bytes?: Buffer
  headers?: Record<string, string | string[]>
  /** Sends and keeps no cookies. */
  anonymous?: boolean
  timeoutMs?: number
}

/** A user that the suite registered. */
export interface User {
  id: number
  username: string
  password: string
  client: Client
}

export type Client = ReturnType<typeof openClient>

const TIMEOUT_MS = 10_000

const NEVER = new AbortController().signal

/** A browser, or what pretends to be one, at one address. Keeps cookies and connections; `signal` ends what it does. */
export function openClient(endpoint: Endpoint, address: string, signal = NEVER) {
  const { origin, host, port, proxied } = endpoint
  const agent = new Agent({ keepAlive: true })
  const sockets = new Set<Socket>()
  const cookies = new Map<string, string>()
  const localAddress = proxied ? undefined : address
  const forwarded: Record<string, string> = proxied ? { 'x-forwarded-for': address } : {}
  const cookieHeader = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

  /** Sends the path as it is. Without a response the status is 0. @throws only when the attack was stopped */
  async function send(method: string, path: string, sent: Sent = {}): Promise<HttpResponse> {
    const { body, headers: bodyHeaders } = await encode(sent)
    signal.throwIfAborted()
    const headers: Record<string, string | string[]> = { ...forwarded, ...bodyHeaders }
    if (method !== 'GET' && method !== 'HEAD') headers.origin = origin
    if (!sent.anonymous && cookies.size > 0) headers.cookie = cookieHeader()
    Object.assign(headers, sent.headers)
    for (const name of Object.keys(headers)) if (headers[name] === '') delete headers[name]
    const options = { host, port, method, path, headers, agent, ...(localAddress && { localAddress }) }
    const response = await exchange(options, body, sent.timeoutMs ?? TIMEOUT_MS)
    if (!sent.anonymous) keepCookies(response)
    return response
  }

  function keepCookies({ headers }: HttpResponse): void {
    for (const line of headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value) cookies.set(name, value)
      else cookies.delete(name)
    }
  }

  /** Opens a connection for bytes of one's own. @throws when the attack was stopped */
  function open(): Socket {
    signal.throwIfAborted()
    const socket = connect({ host, port, ...(localAddress && { localAddress }) })
    sockets.add(socket)
    return socket.on('error', () => {}).once('close', () => sockets.delete(socket))
  }

  function close(): void {
    agent.destroy()
    for (const socket of sockets) socket.destroy()
  }

  return {
    address,
    cookies,
    cookieHeader,
    send,
    connect: open,
    /** Header lines that each request on such a connection must begin with. */
    lines: () => `Host: ${host}:${port}\r\n${proxied ? `X-Forwarded-For: ${address}\r\n` : ''}`,
    signal,
    close,
  }
}

async function encode({ json, form, bytes }: Sent): Promise<{ body?: Buffer; headers: Record<string, string> }> {
  if (form) {
    const encoded = new Response(form)
    const body = Buffer.from(await encoded.arrayBuffer())
    return { body, headers: { 'content-type': encoded.headers.get('content-type') ?? '', ...lengthOf(body) } }
  }
  if (bytes) return { body: bytes, headers: { 'content-type': 'application/octet-stream', ...lengthOf(bytes) } }
  if (json === undefined) return { headers: {} }
  const body = Buffer.from(typeof json === 'string' ? json : JSON.stringify(json))
  return { body, headers: { 'content-type': 'application/json', ...lengthOf(body) } }
}

const lengthOf = (body: Buffer) => ({ 'content-length': String(body.length) })

function exchange(options: object, body: Buffer | undefined, timeoutMs: number): Promise<HttpResponse> {
  const start = performance.now()
  const milliseconds = () => performance.now() - start
  return new Promise((resolve) => {
    const fail = (text: string) =>
      resolve({ status: 0, headers: {}, bytes: Buffer.alloc(0), text, milliseconds: milliseconds() })
    const sent = request(options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('error', ({ message }) => fail(message))
      response.once('end', () => {
        clearTimeout(timer)
        const bytes = Buffer.concat(chunks)
        const { statusCode: status = 0, headers } = response
        resolve({ status, headers, bytes, text: bytes.toString(), milliseconds: milliseconds() })
      })
    })
    const timer = setTimeout(() => sent.destroy(new Error(`no response within ${timeoutMs} ms`)), timeoutMs)
    sent.once('error', ({ message }) => {
      clearTimeout(timer)
      fail(message)
    })
    sent.end(body)
  })
}

/** The JSON of a response. @throws Error for anything but a success */
export function jsonOf<T>({ status, text }: HttpResponse): T {
  if (status < 200 || status > 299) throw new Error(`a request that should have succeeded returned ${status}: ${text}`)
  return JSON.parse(text) as T
}
