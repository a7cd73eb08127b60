import { afterEach, describe, expect, test, vi } from 'vitest'

/** An in-memory storage, for the two that a browser has. */
function fakeStorage(): Storage {
  const values = new Map<string, string>()
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    clear: () => values.clear(),
  } as Storage
}

const blocked = {
  getItem: () => {
    throw new Error('blocked')
  },
  setItem: () => {
    throw new Error('blocked')
  },
} as unknown as Storage

/** A freshly loaded page: new module state, the given storages. */
async function page(storages: { local: Storage; session: Storage }) {
  vi.stubGlobal('localStorage', storages.local)
  vi.stubGlobal('sessionStorage', storages.session)
  vi.stubGlobal('screen', { width: 1440, height: 900, colorDepth: 24 })
  vi.resetModules()
  return (await import('../src/lib/voter-fingerprint.ts')).voterFingerprint
}

afterEach(() => vi.unstubAllGlobals())

describe('the fingerprint', () => {
  test('is in base 36 and short enough for the server', async () => {
    const voterFingerprint = await page({ local: fakeStorage(), session: fakeStorage() })
    expect(voterFingerprint()).toMatch(/^[0-9a-z]{40,128}$/)
  })

  test('is the same in all tabs of a browser', async () => {
    const local = fakeStorage()
    const first = (await page({ local, session: fakeStorage() }))()
    const second = (await page({ local, session: fakeStorage() }))()
    expect(second).toBe(first)
  })

  test('survives in a tab after local storage was cleared, and is stored there again', async () => {
    const local = fakeStorage()
    const session = fakeStorage()
    const first = (await page({ local, session }))()
    local.clear()
    expect((await page({ local, session }))()).toBe(first)
    expect((await page({ local, session: fakeStorage() }))()).toBe(first)
  })

  test('differs between two equal phones', async () => {
    const first = (await page({ local: fakeStorage(), session: fakeStorage() }))()
    const second = (await page({ local: fakeStorage(), session: fakeStorage() }))()
    expect(second).not.toBe(first)
  })

  test('is constant within a page when storage is blocked', async () => {
    const voterFingerprint = await page({ local: blocked, session: blocked })
    const first = voterFingerprint()
    expect(first).not.toBe('')
    expect(voterFingerprint()).toBe(first)
  })

  test('is empty when no random numbers are available', async () => {
    const voterFingerprint = await page({ local: fakeStorage(), session: fakeStorage() })
    vi.stubGlobal('crypto', undefined)
    expect(voterFingerprint()).toBe('')
  })
})
