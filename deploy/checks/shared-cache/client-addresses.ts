import { request } from 'node:http'
import type { SharedCache } from './caches.ts'
import type { LoadResult } from './picture-load.ts'

/** The limit that the system of the check gives an address. */
export const REQUESTS_PER_MINUTE = 1_200
const [GREEDY, MODEST] = ['127.0.0.2', '127.0.0.3']

/** Through a cache each client has limits of its own, and cannot choose its address by a header. */
export async function checkClientAddresses({ name, url }: SharedCache): Promise<LoadResult> {
  const statuses = new Set<number>()
  for (let sent = 0; sent < 2 * REQUESTS_PER_MINUTE && !statuses.has(429); sent += 50) {
    const forged = Array.from({ length: 50 }, (_, index) => `203.0.113.${(sent + index) % 250}`)
    for (const status of await Promise.all(forged.map((address) => get(url, GREEDY, address)))) statuses.add(status)
  }
  const other = await get(url, MODEST, '')
  const errors: string[] = []
  if (!statuses.has(429)) errors.push(`${name}: a client that forges X-Forwarded-For was not limited`)
  if (other !== 200) errors.push(`${name}: another client got ${other} because of the first one`)
  return { errors, facts: ['each client is limited by its own address, whatever X-Forwarded-For it sends'] }
}

/** Sends a request from an address of this machine. */
function get(url: string, localAddress: string, forwardedFor: string): Promise<number> {
  const headers = forwardedFor ? { 'x-forwarded-for': forwardedFor } : {}
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/api/config`, { localAddress, headers, timeout: 10_000 }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
    sent.once('timeout', () => sent.destroy(new Error('no response'))).once('error', reject)
    sent.end()
  })
}
