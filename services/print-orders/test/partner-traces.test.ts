import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inSpan, startTelemetry } from '@skyfolio/kit'
import { expect, onTestFinished, test } from 'vitest'
import { drop, html, json, startPartnerServer } from './partner-server.ts'
import { AFFILIATE_ID, API_KEY, openPartner, partnerConfig } from './partner-support.ts'

/** Receives traces by OTLP, in which texts are as they were. */
async function startCollector(): Promise<{ url: string; received: () => string }> {
  const chunks: Buffer[] = []
  const server = createServer(async (request, response) => {
    for await (const chunk of request) chunks.push(chunk)
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, received: () => Buffer.concat(chunks).toString('latin1') }
}

test('each request has a span with its outcome, without credentials, customers and words of the partner', async () => {
  const collector = await startCollector()
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = collector.url
  const telemetry = await startTelemetry('print-orders', { traces: true })
  const server = await startPartnerServer()
  const partner = openPartner(partnerConfig(server.url, { partnerTimeoutMs: 200 }))

  server.behave('coupon', json({ err: '9001', errDesc: `no ${API_KEY} here` }))
  server.behave('stores', html(502))
  server.behave('submit', drop)
  const items = [{ productId: '6560003', quantity: 1 }]
  await inSpan('a request of a browser', {}, async () => {
    await partner.products('sandbox')
    await partner.stores('sandbox', { latitude: '46.8123', longitude: '-92.0456', items })
    await partner.coupon('sandbox', { couponCode: 'SECRETCODE', items })
    await partner.submit('sandbox', {
      firstName: 'Quillfeather',
      lastName: 'Lee',
      phone: '2185550100',
      email: 'ann@example.com',
      storeNum: '4101',
      promiseTime: '11-28-2026 5:30 PM',
      products: [{ productId: '6560003', images: [{ url: 'https://photos.example/p-1.jpg', quantity: 1 }] }],
      couponCode: 'SECRETCODE',
      affNotes: '',
    })
  })
  await telemetry.stop()
  await server.stop()

  const traces = collector.received()
  for (const name of [
    'partner products',
    'partner stores',
    'partner coupon',
    'partner submit',
    'partner.environment',
    '9001',
    'reset',
  ]) {
    expect(traces).toContain(name)
  }
  const secrets = [
    API_KEY,
    AFFILIATE_ID,
    'Quillfeather',
    '2185550100',
    'ann@example.com',
    '46.8123',
    'SECRETCODE',
    'p-1.jpg',
  ]
  for (const secret of secrets) expect(traces).not.toContain(secret)
})
