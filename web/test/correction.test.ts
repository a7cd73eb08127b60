import { describe, expect, test } from 'vitest'
import type { Photo } from '../src/api/types.ts'
import {
  type CorrectionFields,
  correctionBetween,
  correctionSchema,
  fieldsOf,
} from '../src/photos/detail/edit-form.tsx'
import { photoLink } from '../src/photos/detail/photo-actions.tsx'
import { readDateTaken } from '../src/photos/photo-facts.ts'

const before: CorrectionFields = {
  title: 'Pier',
  description: '',
  city: 'Duluth',
  state: 'Minnesota',
  latitude: '46.842607',
  longitude: '-91.994101',
  dateTaken: '2025-06-21T18:30:05',
}
const errorsOf = (fields: Partial<CorrectionFields>) => {
  const { error } = correctionSchema.safeParse({ ...before, ...fields })
  return Object.fromEntries((error?.issues ?? []).map(({ path, message }) => [path.join(), message]))
}

describe('a correction', () => {
  test('contains only the changed fields', () => {
    expect(correctionBetween(before, before, '')).toEqual({})
    expect(correctionBetween(before, { ...before, title: '' }, '')).toEqual({ title: '' })
    expect(correctionBetween(before, { ...before, city: '', description: 'x' }, '')).toEqual({
      city: null,
      description: 'x',
    })
  })

  test('contains both coordinates when one has changed', () => {
    expect(correctionBetween(before, { ...before, latitude: '46.9' }, '')).toEqual({
      latitude: '46.9',
      longitude: '-91.994101',
    })
    expect(correctionBetween(before, { ...before, latitude: '', longitude: '' }, '')).toEqual({
      latitude: null,
      longitude: null,
    })
  })

  test("keeps the date's zone, or its absence", () => {
    const after = { ...before, dateTaken: '2025-06-21T19:30:05' }
    expect(correctionBetween(before, after, '+02:00')).toEqual({ dateTaken: '2025-06-21T19:30:05+02:00' })
    expect(correctionBetween(before, after, '')).toEqual({ dateTaken: '2025-06-21T19:30:05' })
  })
})

test('the form shows the clock of the camera without its zone', () => {
  const photo = { title: 'Pier', dateTaken: '2025-06-21T18:30:05+02:00' } as Photo
  expect(fieldsOf(photo).dateTaken).toBe('2025-06-21T18:30:05')
  expect(readDateTaken(photo.dateTaken)?.zone).toBe('+02:00')
  expect(readDateTaken('2025-06-21T18:30:05')?.zone).toBe('')
  expect(fieldsOf({ ...photo, dateTaken: null }).dateTaken).toBe('')
})

describe('the form', () => {
  test('accepts an empty title, empty coordinates and their extreme values', () => {
    expect(errorsOf({ title: '', latitude: '', longitude: '' })).toEqual({})
    expect(errorsOf({ latitude: '-90', longitude: '180.0' })).toEqual({})
  })

  test('reports an error at its field', () => {
    expect(errorsOf({ latitude: '91' })).toEqual({ latitude: 'The latitude must be a number from -90 to 90.' })
    expect(errorsOf({ longitude: '92.0036 N' })).toEqual({
      longitude: 'The longitude must be a number from -180 to 180.',
    })
    expect(errorsOf({ longitude: '' })).toEqual({ longitude: 'Please give latitude and longitude together.' })
    expect(errorsOf({ title: 'x'.repeat(256) })).toEqual({ title: 'The title may have up to 255 characters.' })
  })
})

describe('the link that is shared', () => {
  const folder = { id: 7, isPublic: true, shareCode: 'abc' } as Parameters<typeof photoLink>[1]
  const photo = { id: 3, isPublic: true } as Photo

  test('is the voting page for a photo that visitors see', () => {
    expect(photoLink(photo, folder, 'https://sky')).toEqual({ url: 'https://sky/share/abc?photo=3', isPublic: true })
  })

  test('is the app for a private photo, a private folder or none', () => {
    const own = { url: 'https://sky/folders/7?photo=3', isPublic: false }
    expect(photoLink({ ...photo, isPublic: false }, folder, 'https://sky')).toEqual(own)
    expect(photoLink(photo, folder && { ...folder, isPublic: false }, 'https://sky')).toEqual(own)
    expect(photoLink(photo, null, 'https://sky')).toEqual({ url: 'https://sky/?photo=3', isPublic: false })
  })
})
