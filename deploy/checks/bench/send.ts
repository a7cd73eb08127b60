import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { formOf, sizeOf } from '../load/files.ts'

/** Most requests at the same time: what the media service receives from one user. */
export const CONNECTIONS = 4
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })

async function send(method: string, url: string, headers: Record<string, string>, body: Uint8Array[]): Promise<void> {
  const length = String(sizeOf(body))
  const outgoing = request(url, { method, agent, headers: { ...headers, 'content-length': length } })
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>
  const [[answer]] = await Promise.all([answered, pipeline(Readable.from(body, { objectMode: true }), outgoing)])
  const said = await text(answer)
  if (answer.statusCode !== 200 && answer.statusCode !== 201) {
    throw new Error(`${method} ${url.split('?')[0]} answered ${answer.statusCode}: ${said}`)
  }
}

/** Uploads a file as the application does. */
export function upload(origin: string, cookie: string, file: Uint8Array[]): Promise<void> {
  const boundary = 'a-boundary-of-the-benchmark'
  const headers = { cookie, origin, 'content-type': `multipart/form-data; boundary=${boundary}` }
  return send(
    'POST',
    `${origin}/api/upload-photo`,
    headers,
    formOf(boundary, 'photo', [{ name: 'photo', pieces: file }]),
  )
}

/** Puts a file straight into the object store, by a signed URL: what costs the client least. */
export function put(url: string, file: Uint8Array[]): Promise<void> {
  return send('PUT', url, { 'content-type': 'application/octet-stream' }, file)
}

/** Does the work for each item, `CONNECTIONS` at the same time. Gives the seconds that it took. */
export async function timed<T>(items: T[], work: (item: T) => Promise<void>): Promise<number> {
  const begun = performance.now()
  const waiting = items.values()
  const drain = async () => {
    for (const item of waiting) await work(item)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, drain))
  return (performance.now() - begun) / 1000
}
