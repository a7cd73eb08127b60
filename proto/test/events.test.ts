import { expect, test } from 'vitest'
import { events, folderAccess, hints } from '../src/events.ts'

const contextAndEntity = (subject: string) => subject.split('.').slice(0, -1).join('.')

test('each event has a subject of its own in the form context.entity.verb', () => {
  const subjects = Object.values(events).map(({ subject }) => subject)
  for (const subject of subjects) expect(subject).toMatch(/^[a-z]+\.[a-z]+\.[a-z]+$/)
  expect(new Set(subjects).size).toBe(subjects.length)
})

test('no hint or request matches the subjects of a stream', () => {
  const stored = Object.values(events).map(({ subject }) => contextAndEntity(subject))
  const others = [...Object.values(hints), folderAccess].map(({ subject }) => contextAndEntity(subject))
  expect(others.filter((prefix) => stored.includes(prefix))).toEqual([])
})
