import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newId } from '../src/files/object-keys.ts'
import { createPrintImageNames, isPrintImageName } from '../src/print-images/names.ts'

const OLD_KEY = 'o'.repeat(32)
const NEW_KEY = 'n'.repeat(32)
const names = createPrintImageNames([NEW_KEY])
const NOW = Date.UTC(2026, 10, 22)
const soon = new Date(NOW + 1000)

test('verifies its names until they expire, and returns what they say', () => {
  const id = newId()
  const name = names.sign(id, soon)
  expect(name).toMatch(/^p-[0-9a-f]{32}-[0-9a-z]+-[0-9a-f]{32}\.jpg$/)
  expect(isPrintImageName(name)).toBe(true)
  expect(names.verify(name, NOW)).toEqual({ id, expiresAt: soon })
  expect(names.verify(name, NOW + 999)).not.toBeNull()
  expect(names.verify(name, NOW + 1000)).toBeNull()
})

test('accepts names of all keys, and signs with the first', () => {
  const id = newId()
  const old = createPrintImageNames([OLD_KEY]).sign(id, soon)
  expect(names.verify(old, NOW)).toBeNull()
  const both = createPrintImageNames([NEW_KEY, OLD_KEY])
  expect(both.verify(old, NOW)).not.toBeNull()
  expect(both.sign(id, soon)).toBe(names.sign(id, soon))
})

test('rejects a name of which anything was changed', () => {
  const name = names.sign(newId(), soon)
  fc.assert(
    fc.property(
      fc.nat(name.length - 1),
      fc.constantFrom(...'0123456789abcdefghijklmnopqrstuvwxyz-./%'),
      (at, letter) => {
        const changed = name.slice(0, at) + letter + name.slice(at + 1)
        if (changed !== name) expect(names.verify(changed, NOW)).toBeNull()
      },
    ),
  )
})

test('rejects a later expiry under the same signature, and what is no name', () => {
  const id = newId()
  const [, , , signature] = names.sign(id, soon).split('-')
  const later = Math.floor(NOW / 1000 + 86_400).toString(36)
  for (const name of [`p-${id}-${later}-${signature}`, 'p-', `p-${id}.jpg`, `${id}.jpg`, `p-../${id}`, '']) {
    expect(names.verify(name, NOW)).toBeNull()
  }
})

test('does not start without a key', () => {
  expect(() => createPrintImageNames([])).toThrow('No key')
})
