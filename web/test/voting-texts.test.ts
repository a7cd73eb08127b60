import { QueryClient } from '@tanstack/react-query'
import { afterEach, expect, test, vi } from 'vitest'
import { resultsQuery, voterStandingsQuery } from '../src/api/shared-contest.ts'
import type { PublicFolder, Share, User } from '../src/api/types.ts'
import { mayVote } from '../src/features/share/link-rules.ts'
import { showsStandings, votingTexts } from '../src/features/share/voting-texts.ts'

const OPEN = { votingOpen: true, phase: 'open', opensAt: null, closesAt: null, voters: 'anyone' } as const
const ANN = { name: 'Ann' }
const USER = { id: 1 } as User

const share = (folder: Partial<PublicFolder> = {}, invitation: Share['invitation'] = null) =>
  ({ folder: { ...OPEN, ...folder }, invitation, voteCounts: {} }) as unknown as Share
const texts = (folder: Partial<PublicFolder>, invitation?: Share['invitation'], user: User | null = null) =>
  votingTexts(share(folder, invitation), user)

/** Nov 30, 2020, 5:00 PM where the test runs. */
const AT = new Date(2020, 10, 30, 17).toISOString()
const plain = (sentences: string[]) => sentences.join(' ').replaceAll('\u202f', ' ')

afterEach(() => vi.unstubAllGlobals())

test('voters are told when voting opens and ends, with the time zone', () => {
  const before = texts({ votingOpen: false, phase: 'before', opensAt: AT, closesAt: AT })
  expect(plain(before.state)).toMatch(
    /^Voting opens Nov 30, 2020, 5:00 PM \S+\. Voting ends Nov 30, 2020, 5:00 PM \S+\.$/,
  )
  expect(plain(texts({ closesAt: AT }).state)).toMatch(/^Voting ends Nov 30, 2020, 5:00 PM \S+\.$/)
  expect(texts({}).state).toEqual([])
})

test('closed voting says so, and asks for nothing that a vote would need', () => {
  const closed = { votingOpen: false, phase: 'closed', closesAt: AT } as const
  expect(texts(closed).state).toEqual(['Voting is closed.'])
  const voted = { ...share(closed), voteCounts: { 7: 'first' } } as const
  expect(votingTexts(voted, null).state).toEqual(['Voting is closed.', 'Your rankings stay as they are.'])
  expect(texts({ ...closed, voters: 'users' }).lacks).toBeNull()
  expect(texts({ ...closed, voters: 'invited' }, ANN)).toMatchObject({ voter: null, lacks: null })
})

test('where only some may vote, a visitor is told what is missing', () => {
  expect(texts({ voters: 'invited' })).toMatchObject({ voter: null, lacks: 'invitation' })
  expect(texts({ voters: 'invited' }, ANN)).toMatchObject({ voter: 'Voting as Ann', lacks: null })
  expect(texts({ voters: 'users' }).lacks).toBe('user')
  expect(texts({ voters: 'users' }, null, USER).lacks).toBeNull()
})

test('votes are offered to those whom the server accepts', () => {
  expect(mayVote(share(), null)).toBe(true)
  expect(mayVote(share({ votingOpen: false }), USER)).toBe(false)
  expect([mayVote(share({ voters: 'users' }), null), mayVote(share({ voters: 'users' }), USER)]).toEqual([false, true])
  expect([mayVote(share({ voters: 'invited' }), USER), mayVote(share({ voters: 'invited' }, ANN), null)]).toEqual([
    false,
    true,
  ])
})

test('standings are offered when the owner shows them to this voter', () => {
  const shown = (show: PublicFolder['show'], phase: PublicFolder['phase'], hasVoted: boolean) =>
    showsStandings({ show, phase }, hasVoted)
  expect([shown('never', 'closed', true), shown('always', 'before', false)]).toEqual([false, true])
  expect([shown('voted', 'open', false), shown('voted', 'open', true)]).toEqual([false, true])
  expect([shown('closed', 'open', true), shown('closed', 'closed', false)]).toEqual([false, true])
})

test('hidden standings and results are an answer, a locked link is null, and anything else is an error', async () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const answer = (status: number, code: string) =>
    vi.stubGlobal('fetch', async () => new Response(JSON.stringify({ code, message: code }), { status }))
  answer(403, 'standings_hidden')
  expect(await client.fetchQuery(voterStandingsQuery('code', 'voter'))).toBe('standings_hidden')
  answer(403, 'results_hidden')
  expect(await client.fetchQuery({ ...resultsQuery('code'), staleTime: 0 })).toBe('results_hidden')
  answer(403, 'password_required')
  expect(await client.fetchQuery({ ...resultsQuery('code'), staleTime: 0 })).toBeNull()
  answer(404, 'not_found')
  await expect(client.fetchQuery({ ...resultsQuery('code'), staleTime: 0 })).rejects.toThrow('404')
})

test('requests of an embedded page say so', async () => {
  const fetch = vi.fn(async () => new Response('{}'))
  vi.stubGlobal('fetch', fetch)
  vi.stubGlobal('location', { pathname: '/embed/code' })
  vi.resetModules()
  const { send } = await import('../src/lib/http.ts')
  await send('/api/share/code')
  expect(fetch).toHaveBeenCalledWith('/api/share/code', expect.objectContaining({ headers: { 'x-embed': 'true' } }))
})
