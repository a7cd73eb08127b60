import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'

export interface TextResponse {
  status: number
  body: string
  etag: string | null
}

const CHUNK_BYTES = 64 * 1024
/** How long the transfer may make no progress. */
const STALL_TIMEOUT_MS = 90_000

interface SlowRequest {
  method: string
  url: string
  headers: Record<string, string>
  body: Buffer
  bytesPerSecond: number
}

/** Sends a body at this speed, so that faults occur in the middle of uploads. @throws when there is no response */
export async function sendSlowly({ method, url, headers, body, bytesPerSecond }: SlowRequest): Promise<TextResponse> {
  const outgoing = request(url, { method, headers: { ...headers, 'content-length': body.length } })
  const response = new Promise<TextResponse>((resolve, reject) => {
    outgoing.once('response', (response) => {
      const { statusCode: status = 0, headers } = response
      text(response).then((content) => resolve({ status, body: content, etag: headers.etag ?? null }), reject)
    })
    outgoing.on('error', reject)
    outgoing.setTimeout(STALL_TIMEOUT_MS, () =>
      outgoing.destroy(new Error(`no response within ${STALL_TIMEOUT_MS / 1000} s`)),
    )
  })
  response.catch(() => {})
  for (let at = 0; at < body.length && !outgoing.destroyed; at += CHUNK_BYTES) {
    const chunk = body.subarray(at, at + CHUNK_BYTES)
    outgoing.write(chunk)
    await delay((1000 * chunk.length) / bytesPerSecond)
  }
  outgoing.end()
  return response
}
