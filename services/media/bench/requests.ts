import { IDENTITY_HEADER, signIdentity } from '@skyfolio/kit'

/** Requests to media's API as users of a benchmark. */
export function createRequests(identityKey: string) {
  function headersOf(userId: number): Record<string, string> {
    const identity = {
      userId,
      username: `bench-${userId}`,
      isAdmin: false,
      sessionHash: 'bench',
      address: '127.0.0.1',
      confirmedAt: null,
    }
    return { [IDENTITY_HEADER]: signIdentity(identity, [identityKey]) }
  }

  async function get(url: string, userId: number): Promise<Response> {
    const response = await fetch(url, { headers: headersOf(userId) })
    if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
    return response
  }

  /** Milliseconds until the whole response is read. */
  async function timed(url: string, userId: number): Promise<number> {
    const started = performance.now()
    await (await get(url, userId)).arrayBuffer()
    return performance.now() - started
  }

  return { get, timed }
}

export function median(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN
}
