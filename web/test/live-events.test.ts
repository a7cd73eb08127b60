import { QueryClient, queryOptions } from '@tanstack/react-query'
import { expect, onTestFinished, test, vi } from 'vitest'
import { followLiveEvents } from '../src/api/live-events.ts'
import { userQuery } from '../src/api/queries.ts'
import type { User } from '../src/api/types.ts'
import { completeFirstScreen } from '../src/lib/first-screen.ts'

class FakeStream {
  static last: FakeStream | null = null
  readyState = 0
  onopen = () => {}
  onmessage = (_event: { data: string }) => {}
  onerror = () => {}
  closed = false

  constructor() {
    FakeStream.last = this
  }

  close(): void {
    this.closed = true
  }
}

function startPage({ isVisitor = false } = {}) {
  FakeStream.last = null
  vi.stubGlobal('navigator', {})
  vi.stubGlobal('EventSource', FakeStream)
  onTestFinished(() => void vi.unstubAllGlobals())
  completeFirstScreen()
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Number.POSITIVE_INFINITY } } })
  followLiveEvents(client, isVisitor)
  return { client, signIn: (id: number) => client.setQueryData(userQuery.queryKey, { id } as User) }
}

const listOf = (name: string) => queryOptions({ queryKey: [name], queryFn: () => [] })

test('reads again what was requested before the stream was open, and nothing else', async () => {
  const { client, signIn } = startPage()
  await client.fetchQuery(listOf('before'))
  FakeStream.last?.onopen()
  signIn(1)
  await client.fetchQuery(listOf('after'))

  await vi.waitFor(() => expect(client.getQueryState(['before'])?.isInvalidated).toBe(true))
  expect(client.getQueryState(['after'])?.isInvalidated).toBe(false)
})

test('reads everything again after the stream was interrupted', async () => {
  const { client, signIn } = startPage()
  FakeStream.last?.onopen()
  signIn(1)
  await client.fetchQuery(listOf('after'))
  FakeStream.last?.onerror()
  FakeStream.last?.onopen()
  await vi.waitFor(() => expect(client.getQueryState(['after'])?.isInvalidated).toBe(true))
})

test('reads what a hint names that arrived before the code for it', async () => {
  const { client, signIn } = startPage()
  signIn(1)
  FakeStream.last?.onopen()
  await client.fetchQuery(listOf('folders'))
  FakeStream.last?.onmessage({ data: JSON.stringify({ type: 'folder.changed', id: 1 }) })
  await vi.waitFor(() => expect(client.getQueryState(['folders'])?.isInvalidated).toBe(true))
})

test('opens no stream for a visitor until somebody signs in, and closes it when the session ends', () => {
  const { client, signIn } = startPage({ isVisitor: true })
  expect(FakeStream.last).toBeNull()
  signIn(1)
  expect(FakeStream.last?.closed).toBe(false)
  client.setQueryData(userQuery.queryKey, null)
  expect(FakeStream.last?.closed).toBe(true)
})
