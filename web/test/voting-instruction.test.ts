import { expect, test } from 'vitest'
import type { Rank } from '../src/api/types.ts'
import { instruction } from '../src/features/share/rankings-panel.tsx'

const sentence = ({ armed = null as Rank | null, chosen = 0, photos = 9 }) => instruction(armed, chosen, photos)[0]

test('the instruction says what is to be done, and when everything is done', () => {
  expect(sentence({})).toBe('Choose your three favorites.')
  expect(sentence({ chosen: 2 })).toBe('Choose your three favorites.')
  expect(sentence({ chosen: 3 })).toBe('All three chosen.')
})

test('an armed rank is named, also when other ranks are taken', () => {
  expect(sentence({ armed: 'second', chosen: 2 })).toBe('Choose the photo for 2nd place.')
})

test('a folder of fewer than three photos is done when all have a rank', () => {
  expect(sentence({ chosen: 1, photos: 2 })).toBe('Choose your favorites.')
  expect(sentence({ chosen: 2, photos: 2 })).toBe('All photos chosen.')
})
