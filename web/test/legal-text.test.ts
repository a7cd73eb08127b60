import { expect, test } from 'vitest'
import { sectionsOf } from '../src/pages/legal-page.tsx'

test('a short line above a paragraph is its heading, and further paragraphs belong to it', () => {
  const text =
    'These terms apply.\n\nYour photos\nThey remain yours.\n\nYou can delete them.\n \n2. Prints\n\nYou pay later.\n'
  expect(sectionsOf(text)).toEqual([
    { heading: '', text: 'These terms apply.' },
    { heading: 'Your photos', text: 'They remain yours.\n\nYou can delete them.' },
    { heading: '2. Prints', text: 'You pay later.' },
  ])
})

test.each([
  'This sentence was broken\ninto two lines.',
  '- no tracking\n- no advertising',
  'We keep:\n- your name',
  'privacy@example.org',
  'Nobody, not even the operator of this installation or its partners, reads it',
])('is no heading: %s', (paragraph) => {
  expect(sectionsOf(`Photos\nFirst.\n\n${paragraph}`)).toEqual([{ heading: 'Photos', text: `First.\n\n${paragraph}` }])
})
