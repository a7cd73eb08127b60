import { connectNats } from '@skyfolio/kit'
import { printImagePrepare } from '@skyfolio/proto'
import { startNats } from '@skyfolio/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { createPrintImages } from '../src/orders/print-images.ts'
import { timeOfCall } from '../src/orders/submit-order.ts'

test.each([
  ['all of its time', 15_000, 10_000, 10_000],
  ['what is left but a second', 9_000, 10_000, 8_000],
  ['a second at least', 2_000, 10_000, 1_000],
  ['nothing when less is left', 1_999, 10_000, null],
  ['all of a shorter limit', 1_300, 300, 300],
  ['nothing after the end', -5, 300, null],
])('a call to the partner gets %s', (_what, left, limit, expected) => {
  expect(timeOfCall(left, limit)).toBe(expected)
})

test('images whose service does not respond are given up shortly after the deadline', async () => {
  const server = await startNats()
  const nats = await connectNats(server.url, 'test')
  onTestFinished(async () => {
    await nats.close()
    await server.stop()
  })
  nats.subscribe(printImagePrepare.subject)
  const startedAt = performance.now()
  const prints = [{ photoId: 1, crop: null, size: null }]
  await expect(createPrintImages(nats).prepare(1, prints, startedAt)).rejects.toMatchObject({ status: 503 })
  expect(performance.now() - startedAt).toBeLessThan(2_500)
})
