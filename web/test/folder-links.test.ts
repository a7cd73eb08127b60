import { afterEach, describe, expect, test, vi } from 'vitest'
import type { FolderLink } from '../src/api/types.ts'
import { changesOf, fieldsOfNew, linkSchema, valuesOf } from '../src/features/folders/link-form.tsx'
import { describeVisitors, embedCodeOf, stateOf } from '../src/features/folders/link-texts.ts'

const NOW = Date.parse('2026-11-28T12:00:00Z')
const LINK: FolderLink = {
  id: 7,
  code: 'AAAAAAAAAAAAAAAA',
  name: 'Club',
  kind: 'vote',
  main: false,
  expiresAt: null,
  hasPassword: false,
  showPlaces: true,
  showCamera: true,
  showMap: false,
  downloads: 'original',
  votingUntil: null,
  embedOrigins: [],
  openedToday: 0,
  opened: 0,
  createdAt: '2026-11-01T12:00:00Z',
}

describe('the state of a link', () => {
  const stateIn = (link: Partial<FolderLink>) => {
    const { text, notes } = stateOf({ ...LINK, ...link }, NOW)
    return [text, ...notes]
  }

  test('says whom it lets in, and what happens to it', () => {
    expect(stateIn({})).toEqual(['Open'])
    expect(stateIn({ hasPassword: true, expiresAt: '2026-12-01T13:00:00Z' })).toEqual([
      'Password',
      expect.stringMatching(/^Expires Dec 1, 2026, \d/),
    ])
    expect(stateIn({ votingUntil: '2026-11-28T12:00:30Z' })).toEqual([
      'Open',
      expect.stringMatching(/^Voting ends Nov 2\d, 2026, \d/),
    ])
    expect(stateIn({ votingUntil: '2026-11-28T12:00:00Z' })).toEqual(['Open', 'Voting has ended'])
  })

  test('is expired from its moment on, whatever else it has', () => {
    expect(stateIn({ expiresAt: '2026-11-28T12:00:00Z', hasPassword: true })).toEqual([
      'Expired',
      expect.stringMatching(/^On Nov 2\d, 2026, \d/),
    ])
  })
})

test('what visitors get names what is hidden from them', () => {
  expect(describeVisitors({ ...LINK, showMap: true })).toEqual(['Places and map', 'Camera data', 'Original downloads'])
  expect(describeVisitors({ ...LINK, showPlaces: false, showCamera: false, downloads: 'none' })).toEqual([
    'Places hidden',
    'Camera data hidden',
    'No downloads',
  ])
})

describe('the code for websites', () => {
  const embedded = { ...LINK, embedOrigins: ['https://club.example'] }
  const at = (origin: string) => vi.stubGlobal('location', new URL(origin))
  afterEach(() => vi.unstubAllGlobals())

  test('shows the voting page in a frame with the title of the folder', () => {
    at('https://skyfolio.test')
    expect(embedCodeOf(embedded, 'Ann & "Ben" <3')).toBe(
      '<iframe src="https://skyfolio.test/embed/AAAAAAAAAAAAAAAA" title="Ann &amp; &quot;Ben&quot; &lt;3" loading="lazy" width="100%" height="700"></iframe>',
    )
  })

  test('is missing where no website may embed the link', () => {
    at('https://skyfolio.test')
    for (const link of [LINK, { ...embedded, hasPassword: true }, { ...embedded, kind: 'view' as const }]) {
      expect(embedCodeOf(link, 'Lake')).toBeNull()
    }
    at('http://skyfolio.test')
    expect(embedCodeOf(embedded, 'Lake')).toBeNull()
  })
})

describe('the form of a link', () => {
  const values = { ...valuesOf(LINK), name: 'Ann & Ben' }

  test('sends a new link with its choices, and a password only if there is one', () => {
    const { name, kind, showPlaces, showCamera, showMap, downloads } = LINK
    const more = { expiresAt: null, votingUntil: null, embedOrigins: [] }
    const fields = { name, kind, showPlaces, showCamera, showMap, downloads, ...more }
    expect(fieldsOfNew(valuesOf(LINK))).toEqual(fields)
    expect(fieldsOfNew({ ...valuesOf(LINK), password: 'lake-view' })).toEqual({ ...fields, password: 'lake-view' })
  })

  test('sends only what was changed, so that a moment that was not touched keeps its seconds', () => {
    const link = { ...LINK, expiresAt: '2026-12-01T13:00:42.000Z' }
    expect(changesOf(link, valuesOf(link))).toEqual({})
    expect(changesOf(link, { ...valuesOf(link), name: 'Ann & Ben' })).toEqual({ name: 'Ann & Ben' })
    expect(changesOf(link, { ...valuesOf(link), expiresAt: '' })).toEqual({ expiresAt: null })
  })

  test('shows moments in local time, and sends the same moments', () => {
    const link = { ...LINK, expiresAt: '2026-12-01T13:00:00.000Z' }
    const { expiresAt } = valuesOf(link)
    expect(expiresAt).toMatch(/^2026-1[12]-\d\dT\d\d:\d\d$/)
    expect(fieldsOfNew({ ...values, expiresAt }).expiresAt).toBe(link.expiresAt)
  })

  test('leaves, replaces or removes a password', () => {
    const link = { ...LINK, hasPassword: true }
    expect(changesOf(link, valuesOf(link))).toEqual({})
    expect(changesOf(link, { ...valuesOf(link), password: 'lake-view' })).toEqual({ password: 'lake-view' })
    expect(changesOf(link, { ...valuesOf(link), password: 'lake-view', removePassword: true })).toEqual({
      password: null,
    })
  })

  test('has a website in each line, and none where nobody votes', () => {
    const link = { ...LINK, embedOrigins: ['https://club.example', 'https://other.example'] }
    expect(valuesOf(link).embedOrigins).toBe('https://club.example\nhttps://other.example')
    expect(changesOf(link, valuesOf(link))).toEqual({})
    expect(changesOf(link, { ...valuesOf(link), embedOrigins: ' https://club.example \n\n' })).toEqual({
      embedOrigins: ['https://club.example'],
    })
    expect(changesOf(link, { ...valuesOf(link), kind: 'view' })).toEqual({ kind: 'view', embedOrigins: [] })
  })

  test('has no map of hidden places, and an end of voting only where there are votes', () => {
    const link = { ...LINK, showMap: true, votingUntil: '2026-12-01T13:00:00.000Z' }
    expect(changesOf(link, { ...valuesOf(link), showPlaces: false })).toEqual({ showPlaces: false, showMap: false })
    expect(changesOf(link, { ...valuesOf(link), kind: 'view' })).toEqual({ kind: 'view', votingUntil: null })
  })

  test('needs a name, and a password of the length that the server takes', () => {
    const problems = (fields: Partial<typeof values>) =>
      linkSchema.safeParse({ ...values, ...fields }).error?.issues.map(({ message }) => message)
    expect(problems({ name: '  ' })).toEqual(['Name is required'])
    expect(problems({ name: '🚁'.repeat(120) })).toBeUndefined()
    expect(problems({ password: '12345' })).toEqual(['The password must have 6 to 200 characters.'])
    expect(problems({ password: '' })).toBeUndefined()
  })
})
