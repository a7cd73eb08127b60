import { IDENTITY_HEADER, type Identity, signIdentity } from '@skyfolio/kit'

export const TEST_IDENTITY_KEYS = ['the-key-that-signs-the-identities-of-tests']

/** Headers of a request as the gateway would send it; default: a visitor without a session. */
export function identityHeaders(identity: Partial<Identity> = {}): Record<string, string> {
  const visitor = { userId: null, username: null, isAdmin: false, sessionHash: null, address: '127.0.0.1' }
  return { [IDENTITY_HEADER]: signIdentity({ ...visitor, ...identity }, TEST_IDENTITY_KEYS) }
}
