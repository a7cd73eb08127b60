import { QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { failedJobsQuery, retryFailedJob } from '../src/api/admin.ts'
import type { FailedJob } from '../src/api/types.ts'
import { nameOfJob } from '../src/features/admin/jobs-tab.tsx'

const PHOTO = { id: 'photo-12-0', queue: 'photos' } as const
const EXPORT = { id: 'export-9c4e1b7f02d34a5e8f60718293a4b5c6-2', queue: 'exports' } as const

test.each([
  [PHOTO, 'Photo 12'],
  [{ id: 'photo-123456789-3', queue: 'photos' } as const, 'Photo 123456789'],
  [{ id: 'print-image-3f2a91bc44d14e5e8f60718293a4b5c6-0', queue: 'print-images' } as const, 'Print image 3f2a91bc'],
  [EXPORT, 'Export 9c4e1b7f'],
])('the job %o is named %s', (job, name) => expect(nameOfJob(job)).toBe(name))

describe('retrying a failed job', () => {
  const failed = (job: Pick<FailedJob, 'id' | 'queue'>): FailedJob => ({
    ...job,
    userId: 7,
    reason: 'x',
    starts: 4,
    failedAt: '2026-11-22T12:00:00Z',
  })
  const [photo, exported] = [failed(PHOTO), failed(EXPORT)]
  let client: QueryClient
  const listed = () => client.getQueryData(failedJobsQuery.queryKey)

  beforeEach(() => {
    client = new QueryClient()
    client.setQueryData(failedJobsQuery.queryKey, [photo, exported])
  })
  afterEach(() => vi.unstubAllGlobals())

  /** Answers the retry, and returns the requests. */
  function answer(status: number): string[] {
    const requests: string[] = []
    vi.stubGlobal('fetch', async (path: string, { method }: RequestInit) => {
      requests.push(`${method} ${path}`)
      const body = status === 204 ? null : JSON.stringify({ code: 'x', message: 'No.' })
      return new Response(body, { status })
    })
    return requests
  }

  test.each([
    ['removes it from the list, which is read again', 204, true],
    ['that somebody else has retried does so too, and says that it did nothing', 404, false],
  ])('%s', async (_, status, isRetried) => {
    const requests = answer(status)
    expect(await retryFailedJob(client, photo)).toBe(isRetried)
    expect(requests).toEqual(['POST /api/admin/failed-jobs/photos/photo-12-0/retry'])
    expect(listed()).toEqual([exported])
    expect(client.getQueryState(failedJobsQuery.queryKey)?.isInvalidated).toBe(true)
  })

  test('keeps it in the list when the server fails', async () => {
    answer(503)
    await expect(retryFailedJob(client, photo)).rejects.toMatchObject({ status: 503 })
    expect(listed()).toEqual([photo, exported])
  })
})
