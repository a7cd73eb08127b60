import { expect, test } from 'vitest'
import { createVoterIdentity } from '../src/voting/voter-identity.ts'

const voters = createVoterIdentity(['k'.repeat(32)], { secure: false })
const others = createVoterIdentity(['o'.repeat(32)], { secure: true })

test('recognises a token among other cookies, and only if a known key signed it', () => {
  const token = voters.newToken()
  expect(voters.tokenOf(`sid=abc; voter=${token}; theme=dark`)).toBe(token)
  expect(voters.tokenOf(undefined)).toBeNull()
  expect(voters.tokenOf(`xvoter=${token}`)).toBeNull()
  expect(others.tokenOf(`voter=${token}`)).toBeNull()
  const [id, signature] = token.split('.')
  expect(voters.tokenOf(`voter=${id}.${signature?.slice(0, -2)}`)).toBeNull()
  expect(voters.tokenOf(`voter=${others.newToken().split('.')[0]}.${signature}`)).toBeNull()
})

test('during a key rotation the first key signs tokens, all verify them, and hashes stay the same', () => {
  const [old, next] = ['k'.repeat(32), 'n'.repeat(32)]
  const rotated = createVoterIdentity([next, old], { secure: false, hashKey: old })
  expect(rotated.tokenOf(`voter=${voters.newToken()}`)).not.toBeNull()
  expect(voters.tokenOf(`voter=${rotated.newToken()}`)).toBeNull()
  expect(rotated.hash('fingerprint', 1, 'value')).toBe(voters.hash('fingerprint', 1, 'value'))
})

test('a token has one text form, and the first cookie of that name is read', () => {
  const token = voters.newToken()
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const variants = [...letters].map((letter) => token.slice(0, -1) + letter)
  expect(variants.filter((variant) => voters.tokenOf(`voter=${variant}`))).toEqual([token])
  expect(voters.tokenOf(`voter=j!1; voter=${token}`)).toBeNull()
  expect(voters.tokenOf(`voter=${token}; voter=j!1`)).toBe(token)
})

test('the cookie is hidden from scripts and other sites, and Secure under HTTPS', () => {
  expect(voters.cookie('t', false)).toMatch(/^voter=t; Path=\/api; Max-Age=\d+; HttpOnly; SameSite=Lax$/)
  expect(others.cookie('t', false)).toMatch(/; Secure$/)
})

test('hashes differ by kind, folder, key and value, and are UUIDs', () => {
  const hashes = [
    voters.hash('fingerprint', 1, 'value'),
    voters.hash('address', 1, 'value'),
    voters.hash('fingerprint', 2, 'value'),
    voters.hash('fingerprint', 1, 'other'),
    others.hash('fingerprint', 1, 'value'),
  ]
  expect(new Set(hashes).size).toBe(5)
  expect(voters.hash('fingerprint', 1, 'value')).toBe(hashes[0])
  for (const hash of hashes) expect(hash).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
})
