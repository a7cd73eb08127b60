import { createHmac, timingSafeEqual } from 'node:crypto'

/** Header with the token of a load test. Like all headers with this prefix it is not forwarded to services. */
export const LOAD_TEST_HEADER = 'x-skyfolio-load-test'

/** Creates a load test token that is valid until `expires` (seconds since 1970), signed with LOAD_TEST_KEY. */
export function createLoadTestToken(key: string, expires: number): string {
  return `${expires}.${createHmac('sha256', key).update(`load-test:${expires}`).digest('base64url')}`
}

/** Returns a check for header values: a token is valid if this key signed it and it has not expired; without a key, never. */
export function createLoadTestCheck(key: string | undefined): (header: unknown, now?: number) => boolean {
  // A load test sends the same token with every request, so its signature is computed once.
  let verified = ''

  function isSigned(token: string): boolean {
    if (!key) return false
    if (token === verified) return true
    const expected = Buffer.from(createLoadTestToken(key, Number.parseInt(token, 10)))
    const given = Buffer.from(token)
    if (expected.length !== given.length || !timingSafeEqual(expected, given)) return false
    verified = token
    return true
  }

  return (header, now = Date.now()) =>
    typeof header === 'string' && isSigned(header) && Number.parseInt(header, 10) * 1000 > now
}
