import { QueryClient, queryOptions } from '@tanstack/react-query'
import { expect, onTestFinished, test, vi } from 'vitest'
import { followLiveEvents } from '../src/api/live-events.ts'
import { userQuery } from '../src/api/queries.ts'
import type { User } from '../src/api/types.ts'
import { completeFirstScreen } from '../src/lib/first-screen.ts'

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

function startPage() {
  FakeStream.last = null
  vi.stubGlobal('navigator', {})
  vi.stubGlobal('EventSource', FakeStream)
  onTestFinished(() => void vi.unstubAllGlobals())
  completeFirstScreen()
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Number.POSITIVE_INFINITY } } })
  followLiveEvents(client)
  const signIn = async () => {
    client.setQueryData(userQuery.queryKey, { id: 1 } as User)
    return vi.waitFor(() => FakeStream.last ?? expect.fail('no stream'))
  }
  return { client, signIn, isOutdated: (name: string) => client.getQueryState([name])?.isInvalidated }
}

const listOf = (name: string) => queryOptions({ queryKey: [name], queryFn: () => [] })

test('reads again what was requested before the last event, and nothing else', async () => {
  const { client, signIn, isOutdated } = startPage()
  const stream = await signIn()
  const clock = vi.spyOn(performance, 'now')
  onTestFinished(() => clock.mockRestore())
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
  const stream = await signIn()
  stream.ready(60_000)
  // An event of another kind has been handled: so has the opening.
  await client.fetchQuery(listOf('folders'))
  stream.onmessage({ data: JSON.stringify({ type: 'folder.changed', id: 1 }) })
  await vi.waitFor(() => expect(isOutdated('folders')).toBe(true))
  expect(isOutdated('one')).toBe(false)
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

test('closes the stream when the session ends', async () => {
  const { client, signIn } = startPage()
  const stream = await signIn()
  client.setQueryData(userQuery.queryKey, null)
  expect(stream.closed).toBe(true)
})
