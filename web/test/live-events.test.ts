import {
  InfiniteQueryObserver,
  infiniteQueryOptions,
  QueryClient,
  QueryObserver,
  queryOptions,
} from '@tanstack/react-query'
import { expect, onTestFinished, test, vi } from 'vitest'
import { followLiveEvents } from '../src/api/live-events.ts'
import { userQuery } from '../src/api/queries.ts'
import type { User } from '../src/api/types.ts'
import { completeFirstScreen, isFirstScreenComplete } from '../src/lib/first-screen.ts'

class FakeStream extends EventTarget {
  static last: FakeStream | null = null
  readyState = 0
  onmessage = (_event: { data: string }) => {}
  onerror = () => {}
  closed = false

  constructor() {
    super()
    FakeStream.last = this
  }

  ready(quietMs: number): void {
    this.dispatchEvent(new MessageEvent('ready', { data: JSON.stringify({ quietMs }) }))
  }

  close(): void {
    this.closed = true
  }
}

function startPage({ isFirstScreen = false, navigator = {} } = {}) {
  FakeStream.last = null
  vi.stubGlobal('navigator', navigator)
  vi.stubGlobal('EventSource', FakeStream)
  onTestFinished(() => void vi.unstubAllGlobals())
  isFirstScreenComplete.set(!isFirstScreen)
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Number.POSITIVE_INFINITY } } })
  followLiveEvents(client)
  const signIn = async () => {
    client.setQueryData(userQuery.queryKey, { id: 1 } as User)
    return vi.waitFor(() => FakeStream.last ?? expect.fail('no stream'))
  }
  return { client, signIn, isOutdated: (name: string) => client.getQueryState([name])?.isInvalidated }
}

const listOf = (name: string) => queryOptions({ queryKey: [name], queryFn: () => [] })

/** Returns a function that opens a tab of one browser. The first one to sign in has the stream. */
function openBrowser() {
  let isHeld = false
  const request = (_name: string, _options: object, lead: () => Promise<void>) => {
    if (isHeld) return new Promise(() => {})
    isHeld = true
    return lead()
  }
  return () => {
    const tab = startPage({ navigator: { locks: { request } } })
    onTestFinished(() => void tab.client.setQueryData(userQuery.queryKey, null))
    return { ...tab, follow: () => void tab.client.setQueryData(userQuery.queryKey, { id: 1 } as User) }
  }
}

function stopClock() {
  const clock = vi.spyOn(Date, 'now')
  onTestFinished(() => clock.mockRestore())
  return clock
}

/** Shows a list whose requests fail while `fails` is set, and waits for the first one. */
async function showList(client: QueryClient, name: string, { fails = false } = {}) {
  const list = { fails, reads: [] as string[] }
  const queryFn = async () => {
    list.reads.push(list.fails ? 'failed' : 'read')
    if (list.fails) throw new Error('offline')
    return []
  }
  onTestFinished(new QueryObserver(client, { queryKey: [name], queryFn }).subscribe(() => {}))
  await vi.waitFor(() => expect(client.isFetching()).toBe(0))
  return list
}

test('reads again what was requested before the last event, and nothing else', async () => {
  const { client, signIn, isOutdated } = startPage()
  const stream = await signIn()
  const clock = stopClock()
  clock.mockReturnValue(1_000)
  await client.fetchQuery(listOf('before'))
  clock.mockReturnValue(2_000)
  await client.fetchQuery(listOf('after'))
  clock.mockReturnValue(3_000)
  stream.ready(1_500)
  await vi.waitFor(() => expect(isOutdated('before')).toBe(true))
  expect(isOutdated('after')).toBe(false)
})

test('reads nothing again when there was no event since the first request', async () => {
  const { client, signIn, isOutdated } = startPage()
  await client.fetchQuery(listOf('one'))
  client.setQueryData(['saved'], []) // The response of a change, for example.
  const stream = await signIn()
  stream.ready(60_000)
  // An event of another kind has been handled: so has the opening.
  await client.fetchQuery(listOf('folders'))
  stream.onmessage({ data: JSON.stringify({ type: 'folder.changed', id: 1 }) })
  await vi.waitFor(() => expect(isOutdated('folders')).toBe(true))
  expect([isOutdated('one'), isOutdated('saved')]).toEqual([false, false])
})

test('reads everything again when events were missed while the stream was interrupted', async () => {
  const { client, signIn, isOutdated } = startPage()
  const stream = await signIn()
  stream.ready(60_000)
  await client.fetchQuery(listOf('one'))
  stream.onerror()
  stream.ready(0)
  await vi.waitFor(() => expect(isOutdated('one')).toBe(true))
})

test('reads a list again whose request after an event failed with the connection', async () => {
  const { client, signIn } = startPage()
  const stream = await signIn()
  const clock = stopClock()
  clock.mockReturnValue(1_000)
  stream.ready(60_000)
  const folders = await showList(client, 'folders')
  folders.fails = true
  clock.mockReturnValue(2_300)
  stream.onmessage({ data: JSON.stringify({ type: 'folder.changed', id: 1 }) })
  await vi.waitFor(() => expect(client.getQueryState(['folders'])?.status).toBe('error'))
  stream.onerror()
  folders.fails = false
  clock.mockReturnValue(12_000)
  stream.ready(10_000)
  await vi.waitFor(() => expect(folders.reads).toEqual(['read', 'failed', 'read']))
})

test('reads again what failed while the stream was interrupted, although no event was missed', async () => {
  const { client, signIn } = startPage()
  const stream = await signIn()
  stream.ready(60_000)
  const one = await showList(client, 'one')
  stream.onerror()
  one.fails = true
  await client.invalidateQueries({ queryKey: ['one'] })
  const two = await showList(client, 'two', { fails: true })
  one.fails = false
  two.fails = false
  stream.ready(60_000)
  await vi.waitFor(() => expect(one.reads).toEqual(['read', 'failed', 'read']))
  expect(two.reads).toEqual(['failed', 'read'])
})

test('reads again data older than the last event when a later request was cancelled', async () => {
  const { client, signIn, isOutdated } = startPage()
  const stream = await signIn()
  const clock = stopClock()
  clock.mockReturnValue(1_000)
  await client.fetchQuery(listOf('one'))
  clock.mockReturnValue(3_000)
  void client.fetchQuery({ queryKey: ['one'], queryFn: () => new Promise(() => {}), staleTime: 0 })
  await client.cancelQueries({ queryKey: ['one'] })
  stream.ready(1_000)
  await vi.waitFor(() => expect(isOutdated('one')).toBe(true))
})

test('reads all pages of a list again when only its last page was requested after the last event', async () => {
  const { client, signIn } = startPage()
  const stream = await signIn()
  const clock = stopClock()
  const reads: number[] = []
  const orders = infiniteQueryOptions({
    queryKey: ['orders'],
    queryFn: ({ pageParam }) => reads.push(pageParam),
    initialPageParam: 0,
    getNextPageParam: (_page, pages) => pages.length,
  })
  const list = new InfiniteQueryObserver(client, orders)
  clock.mockReturnValue(1_000)
  onTestFinished(list.subscribe(() => {}))
  await vi.waitFor(() => expect(client.getQueryData(['orders'])).toBeDefined())
  clock.mockReturnValue(3_000)
  await list.fetchNextPage()
  stream.ready(1_000)
  await vi.waitFor(() => expect(reads).toEqual([0, 1, 0, 1]))
})

test('leaves what failed in the first screen as it is', async () => {
  const { client, signIn, isOutdated } = startPage({ isFirstScreen: true })
  const failed = await showList(client, 'failed', { fails: true })
  await client.fetchQuery(listOf('one'))
  const stream = await signIn()
  stream.ready(0)
  completeFirstScreen()
  await vi.waitFor(() => expect(isOutdated('one')).toBe(true))
  expect(failed.reads).toEqual(['failed'])
})

test('a new tab reads again what it requested before an event that only other tabs received, which read nothing', async () => {
  const openTab = openBrowser()
  const [first, second, third] = [openTab(), openTab(), openTab()]
  const clock = stopClock()
  clock.mockReturnValue(1_000)
  await second.client.fetchQuery(listOf('before'))
  clock.mockReturnValue(2_000)
  const stream = await first.signIn()
  stream.ready(0)
  clock.mockReturnValue(3_000)
  for (const name of ['one', 'folders']) await second.client.fetchQuery(listOf(name))
  second.follow()
  await vi.waitFor(() => expect(second.isOutdated('before')).toBe(true))
  await third.client.fetchQuery(listOf('before'))
  clock.mockReturnValue(4_000)
  stream.onmessage({ data: JSON.stringify({ type: 'order.changed', id: 1 }) })
  clock.mockReturnValue(5_000)
  await third.client.fetchQuery(listOf('after'))
  third.follow()
  await vi.waitFor(() => expect(third.isOutdated('before')).toBe(true))
  expect(third.isOutdated('after')).toBe(false)
  // The second tab has handled a later message: so has it the answer to the third.
  stream.onmessage({ data: JSON.stringify({ type: 'folder.changed', id: 1 }) })
  await vi.waitFor(() => expect(second.isOutdated('folders')).toBe(true))
  expect(second.isOutdated('one')).toBe(false)
})

test("reads again what may have changed while the device slept, when only the computer's clock goes on", async () => {
  const { client, signIn, isOutdated } = startPage()
  const stream = await signIn()
  const awake = vi.spyOn(performance, 'now').mockReturnValue(70_000)
  onTestFinished(() => awake.mockRestore())
  const clock = stopClock()
  const now = 1_000_000
  clock.mockReturnValue(now)
  stream.ready(0)
  await client.fetchQuery(listOf('one'))
  stream.onerror()
  clock.mockReturnValue(now + 3_600_000)
  awake.mockReturnValue(71_000)
  stream.ready(60_000)
  await vi.waitFor(() => expect(isOutdated('one')).toBe(true))
})

test('closes the stream when the session ends', async () => {
  const { client, signIn } = startPage()
  const stream = await signIn()
  client.setQueryData(userQuery.queryKey, null)
  expect(stream.closed).toBe(true)
})
