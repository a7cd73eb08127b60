import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { identityHeaders, waitFor } from '@skyfolio/testkit'
import { afterEach, expect, test } from 'vitest'
import { jpeg, jpegOfSize, startTestMedia, type TestMedia, user } from '../support.ts'

interface Slow {
  sending: ClientRequest
  /** Status of the response; 0 when the connection ended without one. */
  status: number | null
}

let media: TestMedia
const slow: Slow[] = []
const timers: NodeJS.Timeout[] = []
afterEach(async () => {
  for (const timer of timers.splice(0)) clearInterval(timer)
  for (const { sending } of slow.splice(0)) sending.destroy()
  await media.close()
})

/** Starts the upload of a 20 MB photo, and sends this many bytes ten times a second. */
async function dripUpload(userId: number, bytesEach: number): Promise<Slow> {
  const photo = await jpegOfSize(20_000_000)
  const sending = request(`${media.origin}/api/upload-photos`, {
    method: 'POST',
    headers: { ...identityHeaders(user(userId)), 'content-type': 'multipart/form-data; boundary=b' },
  })
  const one: Slow = { sending, status: null }
  sending.on('response', (response: IncomingMessage) => {
    one.status = response.statusCode ?? 0
    response.resume()
  })
  sending.on('error', () => {})
  sending.on('close', () => {
    one.status ??= 0
  })
  sending.write('--b\r\nContent-Disposition: form-data; name="photos"; filename="a.jpg"\r\n\r\n')
  let sent = 500
  sending.write(photo.subarray(0, sent))
  timers.push(
    setInterval(() => {
      if (one.status !== null) return
      sending.write(photo.subarray(sent, sent + bytesEach))
      sent += bytesEach
    }, 100),
  )
  slow.push(one)
  return one
}

/** Waits until the store receives this many files. */
async function storing(count: number): Promise<void> {
  const isSo = async () => {
    let found = 0
    for await (const _ of media.store.incomplete()) found += 1
    return found === count
  }
  await waitFor(isSo, { what: `${count} files are being stored` })
}

const upload = async (userId: number) =>
  media.send('/api/upload-photo', user(userId), [['photo', { name: 'a.jpg', bytes: await jpeg() }]])

test('serves other users while slow uploads use the whole limit', async () => {
  media = await startTestMedia({ api: { streams: { total: 6, perUser: 2 } } })
  // 10 KB per second is above the minimum rate: only their shares are too large.
  for (const userId of [1, 2, 3, 1, 2, 3, 1, 2, 3]) await dripUpload(userId, 1_000)
  await storing(6)
  const responses = await Promise.all([upload(10), upload(11), upload(12), upload(13)])
  expect(responses.map(({ status }) => status)).toEqual([201, 201, 201, 201])
  expect(slow.filter(({ status }) => status === 503).length, 'told to retry').toBeGreaterThan(0)
})

test('drops an upload below the minimum rate, and continues one above it', async () => {
  media = await startTestMedia({ api: { stallMs: 2_000, minRate: 2_000 } })
  const steady = await dripUpload(1, 3_000)
  const began = performance.now()
  const trickle = await dripUpload(2, 1)
  await waitFor(() => trickle.status !== null, { what: 'the trickle is dropped' })
  expect(performance.now() - began).toBeGreaterThan(1_500)
  expect([trickle.status, steady.status]).toEqual([0, null])
})

test('drops a trickle that uses the whole limit, and stores nothing of it', async () => {
  media = await startTestMedia({
    api: { streams: { total: 1, perUser: 4 }, stallMs: 2_000, minRate: 2_000 },
  })
  const trickle = await dripUpload(1, 1)
  await storing(1)
  expect((await upload(2)).status).toBe(201)
  expect(trickle.status).toBe(0)
  expect(await media.keys()).toHaveLength(1)
  await storing(0)
})

test('does not count an upload that the client cancels as a server error', async () => {
  const lines: { level: number; msg: string }[] = []
  media = await startTestMedia({ onLog: (line) => lines.push(JSON.parse(line)) })
  const { sending } = await dripUpload(1, 100)
  await storing(1)
  sending.destroy()
  await waitFor(() => lines.some(({ msg }) => msg === 'request rejected'), { what: 'the end is logged' })
  expect(lines.filter(({ level }) => level > 40)).toEqual([])
})
