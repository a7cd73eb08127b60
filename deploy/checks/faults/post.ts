import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { UploadFile } from './files.ts'

export interface Answer {
  status: number
  body: string
}

const chunkBytes = 64 * 1024
/** Nobody looks at a bar that does not move for longer. */
const patienceMs = 90_000

/** A multipart form as a browser sends it: fields first, then the files. */
export function formOf(fields: Record<string, string>, files: UploadFile[]): { body: Buffer; contentType: string } {
  const boundary = `----${randomUUID()}`
  const part = (disposition: string, value: Buffer) => [
    Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n`),
    value,
    Buffer.from('\r\n'),
  ]
  const parts = [
    ...Object.entries(fields).flatMap(([name, value]) => part(`name="${name}"`, Buffer.from(value))),
    ...files.flatMap(({ name, bytes }) => part(`name="photos"; filename="${name}"\r\ncontent-type: image/jpeg`, bytes)),
  ]
  return {
    body: Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]),
    contentType: `multipart/form-data; boundary=${boundary}`,
  }
}

/** Sends a body over a line of this speed, so that faults meet uploads in their middle. @throws when no answer comes */
export async function post(
  url: string,
  headers: Record<string, string>,
  body: Buffer,
  bytesPerSecond: number,
): Promise<Answer> {
  const sending = request(url, { method: 'POST', headers: { ...headers, 'content-length': body.length } })
  const answer = new Promise<Answer>((resolve, reject) => {
    sending.once('response', (response) => {
      text(response).then((said) => resolve({ status: response.statusCode ?? 0, body: said }), reject)
    })
    sending.on('error', reject)
    sending.setTimeout(patienceMs, () => sending.destroy(new Error(`no answer in ${patienceMs / 1000} s`)))
  })
  answer.catch(() => {})
  for (let at = 0; at < body.length && !sending.destroyed; at += chunkBytes) {
    const chunk = body.subarray(at, at + chunkBytes)
    sending.write(chunk)
    await delay((1000 * chunk.length) / bytesPerSecond)
  }
  sending.end()
  return answer
}
