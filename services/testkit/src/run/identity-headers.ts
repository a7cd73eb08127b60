import { GATEWAY_HEADER, IDENTITY_HEADER, type Identity, signIdentity, visitorIdentity } from '@skyfolio/kit'

export const TEST_IDENTITY_KEYS = ['the-key-that-signs-the-identities-of-tests']
/** The keys of public names and of the cookie of links in tests. */
export const TEST_LINK_KEYS = ['links'.repeat(8)]

/**
 * Headers of a request as the gateway would send it, also to routes that are open to it alone; default: a visitor without
 * a session. Users have just entered their password.
 */
export function identityHeaders(identity: Partial<Identity> = {}): Record<string, string> {
  const confirmedAt = typeof identity.userId === 'number' ? Date.now() : null
  return {
    [GATEWAY_HEADER]: 'test',
    [IDENTITY_HEADER]: signIdentity({ ...visitorIdentity('127.0.0.1'), confirmedAt, ...identity }, TEST_IDENTITY_KEYS),
  }
}
