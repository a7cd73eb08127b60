import { describe, expect, test } from 'vitest'
import { PasswordNotConfirmed, passwordPrompt, withPassword } from '../src/api/guarded-mutation.ts'
import type { ManagedUser } from '../src/api/types.ts'
import { changesOf, userSchema, valuesOf } from '../src/features/admin/user-dialog.tsx'
import { badgesOf, describeCount, fullName, isErasing, shortDay } from '../src/features/admin/users.ts'
import { isFiltered, readUserFilters, writeUserFilters } from '../src/features/admin/users-tab.tsx'
import { ApiError } from '../src/lib/http.ts'
import { indexesToShow } from '../src/photos/grid/use-visible-rows.ts'

const GIGABYTE = 2 ** 30
const USER: ManagedUser = {
  id: 3,
  username: 'pilot',
  email: 'pilot@example.test',
  emailConfirmed: true,
  firstName: 'Ada',
  lastName: null,
  isAdmin: false,
  disabled: false,
  createdAt: '2026-03-01T10:00:00Z',
  lastActiveAt: null,
  photoCount: 4,
  storageUsed: 100,
  quota: null,
  deletesAt: null,
  deletionByAdmin: false,
}

describe('the filters of the users', () => {
  const read = (text: string) => readUserFilters(new URLSearchParams(text))

  test('are in the URL, without what is the default', () => {
    expect(read('')).toEqual({ q: '', role: 'all', sort: 'newest' })
    const filters = { q: 'ada', role: 'admin', sort: 'oldest' } as const
    expect(writeUserFilters(new URLSearchParams('tab=users'), filters).toString()).toBe(
      'tab=users&q=ada&role=admin&sort=oldest',
    )
    expect(writeUserFilters(new URLSearchParams('q=x&role=user'), read('')).toString()).toBe('')
  })

  test('ignore what is not valid', () => {
    expect(read('role=owner&sort=name&q=%20%20a%20')).toEqual({ q: 'a', role: 'all', sort: 'newest' })
  })

  test('hide users by search and role, not by order', () => {
    expect(isFiltered(read('sort=oldest'))).toBe(false)
    expect(isFiltered(read('role=user'))).toBe(true)
    expect(isFiltered(read('q=a'))).toBe(true)
  })
})

describe('a user in the list', () => {
  const now = new Date('2026-11-22T12:00:00Z')

  test('has badges for what is special', () => {
    expect(badgesOf(USER, now)).toEqual([])
    const special = { ...USER, isAdmin: true, disabled: true, deletesAt: '2026-11-29T12:00:00Z' }
    expect(badgesOf(special, now).map(({ text }) => text)).toEqual(['Admin', 'Disabled', 'Deletion on Nov 29'])
  })

  test('is being erased once the time for revoking has passed', () => {
    const deletesAt = '2026-11-22T11:59:59Z'
    expect(badgesOf({ ...USER, deletesAt }, now).map(({ text }) => text)).toEqual(['Being erased'])
    expect(isErasing({ deletesAt }, now.getTime())).toBe(true)
    expect(isErasing({ deletesAt: null }, now.getTime())).toBe(false)
  })

  test('has the year of another year at a date', () => {
    expect(shortDay('2027-01-03T12:00:00Z', now)).toBe('Jan 3, 2027')
  })

  test('is one of a number that a search counts up to a limit', () => {
    expect(describeCount(100_000, false, false)).toBe('100,000 users')
    expect(describeCount(100_000, true, false)).toBe('100,000 users found')
    expect(describeCount(1_000, true, true)).toBe('1,000 users found')
    expect(describeCount(1_001, true, true)).toBe('More than 1,000 users found')
  })

  test('has a name of what is known', () => {
    expect(fullName(USER)).toBe('Ada')
    expect(fullName({ firstName: null, lastName: '' })).toBeNull()
  })
})

describe('the edit dialog', () => {
  const edit = (some: object, user = USER) => changesOf(user, { ...valuesOf(user), ...some })
  const errorsOf = (some: object) => {
    const { error } = userSchema.safeParse({ ...valuesOf(USER), ...some })
    return error?.issues.map(({ path, message }) => `${path}: ${message}`)
  }

  test('sends nothing without a change', () => {
    expect(edit({})).toEqual({})
    expect(edit({ firstName: ' Ada ' })).toEqual({})
    expect(edit({ quotaAmount: '7' })).toEqual({})
  })

  test('sends only what differs', () => {
    expect(edit({ lastName: 'Byron', isAdmin: true })).toEqual({ lastName: 'Byron', isAdmin: true })
    expect(edit({ email: '', firstName: '', disabled: true })).toEqual({ email: null, firstName: null, disabled: true })
  })

  test('takes a quota in MB or GB', () => {
    expect(edit({ quota: 'own', quotaAmount: '1.5', quotaUnit: 'GB' })).toEqual({ quota: 1.5 * GIGABYTE })
    expect(edit({ quota: 'own', quotaAmount: ' 0 ', quotaUnit: 'MB' })).toEqual({ quota: 0 })
    expect(edit({ quota: 'default' }, { ...USER, quota: 5 * GIGABYTE })).toEqual({ quota: null })
  })

  test.each([0, 1, 1_000_000, 300 * 2 ** 20, 5 * GIGABYTE])('keeps a quota of %i bytes', (quota) => {
    expect(edit({}, { ...USER, quota })).toEqual({})
  })

  test('says what is wrong with a field', () => {
    expect(errorsOf({ email: '  ' })).toBeUndefined()
    expect(errorsOf({ email: 'nobody' })).toEqual(['email: Invalid email address'])
    for (const quotaAmount of ['', 'lots', '-1', '1e30', '99999999999999']) {
      expect(errorsOf({ quota: 'own', quotaAmount })).toEqual(['quotaAmount: Enter a number of MB or GB, 0 or more'])
    }
    expect(errorsOf({ quota: 'default', quotaAmount: 'lots' })).toBeUndefined()
  })
})

describe('an action that needs the password', () => {
  const demand = new ApiError(403, '', { code: 'password_required', message: 'Confirm your password.' })

  function failingOnce(error: Error) {
    let calls = 0
    return {
      action: async () => {
        calls += 1
        if (calls === 1) throw error
        return 'done'
      },
      calls: () => calls,
    }
  }

  test('is repeated after the password was confirmed', async () => {
    const { action, calls } = failingOnce(demand)
    const result = withPassword(action)
    await expect.poll(() => passwordPrompt.get()).not.toBeNull()
    expect(calls()).toBe(1)
    passwordPrompt.get()?.close(true)
    await expect(result).resolves.toBe('done')
    expect(passwordPrompt.get()).toBeNull()
  })

  test('is not repeated when the question is closed', async () => {
    const { action, calls } = failingOnce(demand)
    const result = withPassword(action)
    await expect.poll(() => passwordPrompt.get()).not.toBeNull()
    passwordPrompt.get()?.close(false)
    await expect(result).rejects.toThrow(PasswordNotConfirmed)
    expect(calls()).toBe(1)
  })

  test('asks once for actions at the same time', async () => {
    const results = Promise.all([failingOnce(demand), failingOnce(demand)].map(({ action }) => withPassword(action)))
    await expect.poll(() => passwordPrompt.get()).not.toBeNull()
    passwordPrompt.get()?.close(true)
    await expect(results).resolves.toEqual(['done', 'done'])
    expect(passwordPrompt.get()).toBeNull()
  })

  test('asks for nothing after another failure', async () => {
    const forbidden = new ApiError(403, '', { code: 'forbidden', message: 'Only for administrators.' })
    await expect(withPassword(failingOnce(forbidden).action)).rejects.toBe(forbidden)
    expect(passwordPrompt.get()).toBeNull()
  })
})

test('a long list renders the visible items and the focused one', () => {
  expect(indexesToShow(2, 4, null)).toEqual([2, 3, 4])
  expect(indexesToShow(2, 4, 3)).toEqual([2, 3, 4])
  expect(indexesToShow(2, 4, 0)).toEqual([0, 2, 3, 4])
  expect(indexesToShow(2, 4, 9)).toEqual([2, 3, 4, 9])
})
