import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Logger, openObjectStore } from '@skyfolio/kit'
import { expect, test } from 'vitest'
import { checkPartSupport } from '../src/upload-sessions/upkeep.ts'

type Step = 'begin' | 'list' | 'abort'

/** What is logged with a server that rejects one step of an upload in parts, and the steps that it saw. */
async function checkOn(rejected: Step | null, status = 403) {
  const steps: Step[] = []
  const server = createServer((request, response) => {
    const { method, url = '' } = request
    request.resume()
    if (!url.includes('/originals/')) return response.end()
    const step = method === 'POST' ? 'begin' : method === 'GET' ? 'list' : 'abort'
    steps.push(step)
    if (step === rejected) return response.writeHead(status).end('<Error><Code>NotHere</Code></Error>')
    if (step === 'begin')
      return response.end('<InitiateMultipartUploadResult><UploadId>one</UploadId></InitiateMultipartUploadResult>')
    if (step === 'abort') return response.writeHead(204).end()
    response.end('<ListPartsResult><IsTruncated>false</IsTruncated></ListPartsResult>')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const store = await openObjectStore({
    s3Endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ s3Region: 'us-east-1', s3Bucket: 'photos', s3AccessKey: 'key', s3SecretKey: 'secret' },
  })
  const errors: string[] = []
  const logger = { error: ({ err }: { err: { code: string } }) => errors.push(err.code) } as unknown as Logger
  await checkPartSupport(store, logger)
  server.closeAllConnections()
  server.close()
  return { steps, errors }
}

test('a store that takes parts is left as it was', async () => {
  expect(await checkOn(null)).toEqual({ steps: ['begin', 'list', 'abort'], errors: [] })
})

test('a store that takes no uploads with checksums is logged', async () => {
  const { steps, errors } = await checkOn('begin', 501)
  expect(steps).toEqual(['begin'])
  expect(errors).toEqual(['NotHere'])
})

test('a key without the right to list or to end uploads is logged, and the upload is ended where it can be', async () => {
  const atList = await checkOn('list')
  expect(atList.steps).toEqual(['begin', 'list', 'abort'])
  expect(atList.errors).toEqual(['NotHere'])
  expect((await checkOn('abort')).errors).toEqual(['NotHere'])
})

test('an outage is not taken for a rejection', async () => {
  expect((await checkOn('begin', 503)).errors).toEqual([])
})
