import { expect, test } from 'vitest'
import { ifAgreed } from '../src/map/background-choice.ts'

const MAP = { url: 'https://tiles.example.org/{z}/{x}/{y}.png', attribution: 'Example' }

test("another server's map is loaded after an agreement to its host, and not without", () => {
  expect(ifAgreed(MAP, 'tiles.example.org')).toBe(MAP)
  expect(ifAgreed(MAP, null)).toBeNull()
  expect(ifAgreed(null, 'tiles.example.org')).toBeNull()
})

test('a visitor who has agreed to a former server, or before hosts were remembered, is asked again', () => {
  for (const host of ['tiles.example.com', 'tiles.example.org:8443', 'external', 'own']) {
    expect(ifAgreed(MAP, host)).toBeNull()
  }
})
