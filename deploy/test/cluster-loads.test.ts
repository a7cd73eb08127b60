import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { waitFor } from '@skyfolio/testkit'
import { afterEach, expect, test } from 'vitest'
import { followEvents } from '../checks/cluster/events.ts'
import { judgeClients } from '../checks/cluster/judge-load.ts'
import type { LoadReport } from '../checks/cluster/loads.ts'
import { readPages } from '../checks/cluster/pages.ts'
import type { LoggedVote } from '../checks/load/check-votes.ts'

let server: Server

async function serve(answer: Parameters<typeof createServer>[1]): Promise<string> {
  server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

test('reads pages over persistent and new connections, and counts each response', async () => {
  const connections = new Set<unknown>()
  const url = await serve((request, response) => {
    connections.add(request.socket)
    if (request.url === '/fine') return response.end('fine')
    if (request.url === '/later') return response.writeHead(503, { 'retry-after': '1' }).end()
    return request.url === '/broken' ? response.writeHead(500).end() : request.socket.destroy()
  })
  const pages = ['/fine', '/later', '/broken', '/cut'].map((path) => ({ path }))
  const reading = readPages(url, pages, 100)
  await waitFor(() => connections.size > 4, { what: 'readers on several connections' })
  const { requests, responses, errors } = await reading.stop()
  expect([...responses.values()].reduce((sum, count) => sum + count, 0)).toBe(requests)
  expect([...responses.keys()].sort()).toEqual(['200', '500', '503', 'ECONNRESET'])
  expect(new Set(errors)).toEqual(new Set(['/broken returned 500']))
})

test("reopens a stream that ended after the server's retry time, and measures the gap", async () => {
  let opened = 0
  const url = await serve((_request, response) => {
    opened += 1
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('retry: 20\n\ndata: {}\n\n')
    if (opened < 3) response.end()
  })
  const following = followEvents(url, 'sid=1')
  await waitFor(() => opened === 3, { what: 'a third stream' })
  const { gaps, events, rejections } = await following.stop()
  expect(rejections).toEqual([])
  expect(events).toBeGreaterThanOrEqual(2)
  expect(gaps[0]).toBeGreaterThanOrEqual(19)
})

const vote = (status: number): LoggedVote => ({
  ...{ voter: 'v', folder: 1, photo: 1, rank: 1, status, at: 0, durationMs: 5 },
  outcome: status === 200 ? 'acknowledged' : 'unknown',
})

function reportOf(votes: LoggedVote[], votesAnsweredWrong: number): LoadReport {
  const acknowledged = [{ photoId: 1 }] as LoadReport['uploads']['acknowledged']
  return {
    votes,
    votesUnexpected: votesAnsweredWrong,
    votesStarted: votes.length,
    uploads: { acknowledged, rejected: 0, requests: 1, responses: new Map([['201', 1]]), errors: [] },
    pages: { requests: 1, responses: new Map([['200', 1]]), errors: [] },
    events: { gaps: [], events: 1, rejections: [] },
    seeded: {} as LoadReport['seeded'],
  }
}

const failed = (report: LoadReport, most: number) =>
  Object.entries(judgeClients(report, most).checks).flatMap(([check, held]) => (held ? [] : [check]))

test('one vote without response fails an upgrade, but not the deletion of pods among thousands of votes', () => {
  const votes = [...Array.from({ length: 2_000 }, () => vote(200)), vote(0)]
  expect(failed(reportOf(votes, 1), 0)).toEqual(['no request failed'])
  expect(failed(reportOf(votes, 1), 0.001)).toEqual([])
  expect(failed(reportOf(votes.slice(1_500), 1), 0.001)).toEqual(['at most 0.1 % of the requests failed at first'])
})

test('a response that clients cannot retry fails every load', () => {
  const votes = [...Array.from({ length: 5_000 }, () => vote(200)), vote(500)]
  expect(failed(reportOf(votes, 1), 0.001)).toEqual([
    'failed requests can be retried: 503 with Retry-After, or no response',
  ])
})
