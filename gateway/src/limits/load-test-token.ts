import { createHmac, timingSafeEqual } from 'node:crypto'

/** The header by which a load test shows its token; like all of this prefix it goes no further than the gateway. */
export const LOAD_TEST_HEADER = 'x-skyfolio-load-test'

/** A token for a load test until `expires`, in seconds since 1970, signed with LOAD_TEST_KEY. */
export function loadTestToken(key: string, expires: number): string {
  return `${expires}.${createHmac('sha256', key).update(`load-test:${expires}`).digest('base64url')}`
}

/** Tells whether a header's value is a token that this key signed and that has not expired. Without a key none is. */
export function createLoadTestCheck(key: string | undefined): (header: unknown, now?: number) => boolean {
  // A load test shows the same token with every request: one signature is made for all of them.
  let genuine = ''

  function isGenuine(token: string): boolean {
    if (!key) return false
    if (token === genuine) return true
    const own = Buffer.from(loadTestToken(key, Number.parseInt(token, 10)))
    const given = Buffer.from(token)
    if (own.length !== given.length || !timingSafeEqual(own, given)) return false
    genuine = token
    return true
  }

  return (header, now = Date.now()) =>
    typeof header === 'string' && isGenuine(header) && Number.parseInt(header, 10) * 1000 > now
}
