import { afterEach, describe, expect, test } from 'vitest'
import type { User } from '../src/api/types.ts'
import {
  changesOf,
  discardEdits,
  editProfile,
  hasEdits,
  profileDraft,
  validateProfile,
  valuesOf,
} from '../src/features/account/profile-draft.ts'
import { folderRows, shownRows, yearRows } from '../src/features/account/statistics-tab.tsx'
import { bytesLeft, describeUse, fillOf, percentUsed } from '../src/lib/storage-quota.ts'
import { chosenView } from '../src/photos/browser/view-toggle.tsx'
import { parseSettings } from '../src/photos/settings.ts'

const USER: User = {
  id: 7,
  username: 'pilot',
  firstName: 'Ann',
  lastName: null,
  displayName: null,
  email: 'ann@example.test',
  emailConfirmed: true,
  isAdmin: false,
  publicByDefault: true,
  emailNotifications: true,
  createdAt: '2026-01-01T00:00:00.000Z',
  deletesAt: null,
  canRestore: false,
}
const values = () => valuesOf(USER, profileDraft.get())

describe('the profile form', () => {
  afterEach(() => profileDraft.set(null))

  test('sends only what was changed, and null for what was emptied', () => {
    editProfile(USER, { firstName: ' Anna ', displayName: ' Anna K.', email: '', publicByDefault: false })
    const changed = { firstName: 'Anna', displayName: 'Anna K.', email: null, publicByDefault: false }
    expect(changesOf(USER, values())).toEqual(changed)
  })

  test('has no edits when the former value is typed again', () => {
    editProfile(USER, { lastName: 'x' })
    expect(hasEdits(USER, profileDraft.get())).toBe(true)
    editProfile(USER, { lastName: ' ' })
    expect(hasEdits(USER, profileDraft.get())).toBe(false)
  })

  test('keeps its edits when the account changes elsewhere', () => {
    editProfile(USER, { firstName: 'Anna' })
    const elsewhere = { ...USER, firstName: 'An', lastName: 'Lake' }
    expect(valuesOf(elsewhere, profileDraft.get())).toMatchObject({ firstName: 'Anna', lastName: 'Lake' })
  })

  test('keeps what was typed while it was being saved', () => {
    editProfile(USER, { firstName: 'Anna', lastName: 'L' })
    const sent = values()
    editProfile(USER, { lastName: 'Lake' })
    discardEdits(sent)
    expect(profileDraft.get()?.edits).toEqual({ lastName: 'Lake' })
    discardEdits()
    expect(profileDraft.get()).toBeNull()
  })

  test('never shows the edits of another user', () => {
    editProfile(USER, { firstName: 'Anna' })
    const other = { ...USER, id: 8, firstName: 'Bo' }
    expect(valuesOf(other, profileDraft.get()).firstName).toBe('Bo')
    expect(hasEdits(other, profileDraft.get())).toBe(false)
  })

  test.each([
    ['', {}],
    [' ann@example.test ', {}],
    ['ann@', { email: 'Invalid email address' }],
  ])('an address %j is %j', (email, errors) => expect(validateProfile({ ...values(), email })).toEqual(errors))
})

describe('the settings of this browser', () => {
  test('are those of one user, and invalid values are the defaults', () => {
    const stored = { userId: 7, units: 'imperial', sort: 'sideways', view: 'list' }
    expect(parseSettings(stored, 7)).toEqual({ units: 'imperial', sort: 'newest', view: 'list' })
    expect(parseSettings(stored, 8)).toBeNull()
    expect(parseSettings(null, 7)).toBeNull()
    expect(parseSettings('list', 7)).toBeNull()
    expect(parseSettings({ ...stored, sort: 'taken-newest' }, 7)).toMatchObject({ sort: 'taken-newest' })
  })
})

describe('the view of the gallery', () => {
  test.each([
    ['list:grid', 'grid', 'list'],
    ['grid:list', 'list', 'grid'],
    ['list', 'grid', 'list'],
  ] as const)('chosen as %j over the default %s is the %s', (choice, byDefault, view) =>
    expect(chosenView(choice, byDefault)).toBe(view),
  )

  test.each([
    [null, 'list'],
    ['cover:grid', 'grid'],
    ['grid:list', 'grid'],
    ['list:grid', 'list'],
  ] as const)('is no choice by %j when the default is the %s', (choice, byDefault) =>
    expect(chosenView(choice, byDefault)).toBeNull(),
  )
})

describe('the storage', () => {
  const GB = 1024 ** 3

  test('has nothing left when more is used than a lowered quota', () => {
    expect(bytesLeft({ used: 2 * GB, limit: GB })).toBe(0)
    expect(percentUsed({ used: 2 * GB, limit: GB })).toBe(100)
    expect(percentUsed({ used: 0, limit: 0 })).toBe(100)
  })

  test('is nearly full from nine tenths on', () => {
    expect([0, 0.89, 0.9, 0.99, 1].map((part) => fillOf({ used: part * GB, limit: GB }))).toEqual([
      'free',
      'free',
      'nearly-full',
      'nearly-full',
      'full',
    ])
    expect(describeUse({ used: 1.5 * GB, limit: 5 * GB })).toBe('1.50 GB of 5.00 GB used')
    expect(describeUse({ used: 1.5 * GB, limit: 5 * GB }, GB)).toBe('1.50 GB of 5.00 GB used, 1.00 GB for uploads')
  })

  test('is sorted by size by folder, with photos without a folder and those of the metadata screen', () => {
    const folders = [
      { folderId: 1, photos: 2, bytes: 20 },
      { folderId: null, photos: 1, bytes: 30 },
      { folderId: 2, photos: 0, bytes: 0 },
      { folderId: 3, photos: 4, bytes: 5 },
    ]
    const rows = folderRows({ folders, metadataScreen: { photos: 1, bytes: 10 } }, [{ id: 1, name: 'Lake' }])
    expect(rows.map(({ label, bytes }) => [label, bytes])).toEqual([
      ['No folder', 30],
      ['Lake', 20],
      ['Meta Data screen', 10],
      ['A folder', 5],
    ])
  })

  test('has the newest year first and unknown ones last', () => {
    const years = [2024, null, 2026].map((year) => ({ year, photos: 1, bytes: 1 }))
    expect(yearRows({ years }).map(({ label }) => label)).toEqual(['2026', '2024', 'Unknown year'])
  })

  test('shows the first rows and the sum of the others, unless it is only one', () => {
    const rows = Array.from({ length: 9 }, (_, index) => ({ key: `${index}`, label: `${index}`, photos: 2, bytes: 10 }))
    expect(shownRows(rows.slice(0, 7)).rest).toBeNull()
    const { top, rest } = shownRows(rows)
    expect(top).toHaveLength(6)
    expect(rest).toMatchObject({ label: '3 more', photos: 6, bytes: 30 })
  })
})
