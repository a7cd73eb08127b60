import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createForm, sizeOf } from '../load/multipart.ts'

/** Concurrent requests: the media service's limit per user. */
export const CONNECTIONS = 4
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })

async function sendRequest(
  method: string,
  url: string,
  headers: Record<string, string>,
  body: Uint8Array[],
): Promise<void> {
  const length = String(sizeOf(body))
  const outgoing = request(url, { method, agent, headers: { ...headers, 'content-length': length } })
  const responded = once(outgoing, 'response') as Promise<[IncomingMessage]>
  const [[response]] = await Promise.all([responded, pipeline(Readable.from(body, { objectMode: true }), outgoing)])
  const responseText = await text(response)
  if (response.statusCode !== 200 && response.statusCode !== 201) {
    throw new Error(`${method} ${url.split('?')[0]} returned ${response.statusCode}: ${responseText}`)
  }
}

/** Uploads a file as the web application does. */
export function uploadFile(origin: string, cookie: string, file: Uint8Array[]): Promise<void> {
  const boundary = 'a-boundary-of-the-benchmark'
  const headers = { cookie, origin, 'content-type': `multipart/form-data; boundary=${boundary}` }
  return sendRequest(
    'POST',
    `${origin}/api/upload-photo`,
    headers,
    createForm(boundary, 'photo', [{ name: 'photo', pieces: file }]),
  )
}

/** Puts a file directly into the object store by a signed URL: the cheapest way for the client. */
export function putObject(url: string, file: Uint8Array[]): Promise<void> {
  return sendRequest('PUT', url, { 'content-type': 'application/octet-stream' }, file)
}

/** Runs the work for each item, `CONNECTIONS` at a time. Returns the elapsed seconds. */
export async function runTimed<T>(items: T[], work: (item: T) => Promise<void>): Promise<number> {
  const start = performance.now()
  const waiting = items.values()
  const worker = async () => {
    for (const item of waiting) await work(item)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, worker))
  return (performance.now() - start) / 1000
}
