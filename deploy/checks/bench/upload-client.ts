import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { sizeOf } from '../load/multipart.ts'

/** Concurrent requests: the media service's limit per user. */
export const CONNECTIONS = 4
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })

interface Response {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

/** Sends the pieces, one after the other, as one body. @throws Error unless the response is a success */
export async function send(
  method: string,
  url: string,
  headers: Record<string, string>,
  pieces: Uint8Array[],
): Promise<Response> {
  const length = String(sizeOf(pieces))
  const outgoing = request(url, { method, agent, headers: { ...headers, 'content-length': length } })
  const responded = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject)
  })
  const sent = pipeline(Readable.from(pieces, { objectMode: true }), outgoing)
  const [response] = await Promise.all([responded, sent])
  const { statusCode: status = 0 } = response
  const body = await text(response)
  if (status >= 300) throw new Error(`${method} ${url.split('?')[0]} returned ${status}: ${body}`)
  return { status, headers: response.headers, body }
}

/** Runs the work for each item, `CONNECTIONS` at a time. */
export async function runConcurrently<T>(
  items: Iterable<T> | AsyncIterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = iterate(items)
  const worker = async () => {
    for await (const item of waiting) await work(item)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, worker))
}

/** One sequence that several loops share. */
async function* iterate<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T> {
  yield* items
}
