import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ORIGIN, startEcho, startGateway, type TestGateway, type Upstream } from './support.ts'

const NAME = `Lakes & <script>alert("1")</script> $& it's`
const cards: Record<string, object> = {
  open: { name: NAME, description: 'A "morning"\n<b>', photos: 1284, picture: '/api/uploads/1f.webp' },
  plain: { name: 'Plain', description: null, photos: 1, picture: null },
}

let folders: Upstream
let gateway: TestGateway
beforeAll(async () => {
  folders = await startEcho((app) =>
    app.get<{ Params: { code: string } }>('/share-cards/:code', async (request, reply) => {
      const { code } = request.params
      if (code === 'slow') await delay(5_000, undefined, { ref: false })
      return cards[code] ?? reply.code(404).send({ code: 'not_found', message: 'Folder not found' })
    }),
  )
  gateway = await startGateway({ upstream: folders.url })
})
afterAll(async () => {
  await gateway.close()
  await folders.app.close()
})

const textOf = async (path: string) => (await gateway.call(path)).text()

describe('the page of a public folder', () => {
  test.each(['share', 'viewer', 'browse'])('/%s has Open Graph tags with every text escaped', async (screen) => {
    const page = await textOf(`/${screen}/open`)
    expect(page).toContain(
      `<meta property="og:title" content="Lakes &amp; &lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; $&amp; it&#39;s" />`,
    )
    expect(page).toContain(`<meta property="og:description" content="A &quot;morning&quot;\n&lt;b&gt;" />`)
    expect(page).toContain(`<meta property="og:image" content="${ORIGIN}/api/uploads/1f.webp" />`)
    expect(page).toContain(`<meta property="og:url" content="${ORIGIN}/${screen}/open" />`)
    expect(page).toContain('<meta name="twitter:card" content="summary_large_image" />')
    expect(page.match(/<title>/g)).toHaveLength(1)
    expect(page).not.toContain('<script>alert')
    expect(page).not.toContain('<b>')
  })

  test('is readable before the application has loaded', async () => {
    const page = await textOf('/share/open')
    expect(page).toMatch(/<div id="root"><main class="prerendered-folder"><h1 data-prerendered="name">Lakes &amp; /)
    expect(page).toContain('<p data-prerendered="count">1,284 photos</p>')
    expect(await textOf('/share/plain')).toContain('<p data-prerendered="count">1 photo</p>')
  })

  test('describes a folder without description by its photo count, and omits a missing image', async () => {
    const page = await textOf('/share/plain')
    expect(page).toContain('<meta property="og:description" content="1 photo" />')
    expect(page).not.toContain('og:image')
    expect(page).toContain('<meta name="twitter:card" content="summary" />')
  })

  test('is revalidated, and returns 304 until something changes', async () => {
    const response = await gateway.call('/share/plain')
    expect(response.headers.get('cache-control')).toBe('private, no-cache')
    const headers = { 'if-none-match': response.headers.get('etag') ?? '' }
    expect((await gateway.app.inject({ url: '/share/plain', headers })).statusCode).toBe(304)
    const { plain } = cards
    cards.plain = { ...plain, photos: 2 }
    expect((await gateway.app.inject({ url: '/share/plain', headers })).statusCode).toBe(200)
    delete cards.plain
    expect(await textOf('/share/plain')).not.toContain('Plain')
    cards.plain = plain ?? {}
  })

  test.each(['open', 'nowhere', 'no%20code'])('tells search engines not to list it: %s', async (code) => {
    const { headers } = await gateway.call(`/browse/${code}`)
    expect([headers.get('x-robots-tag'), headers.get('referrer-policy')]).toEqual(['noindex', 'same-origin'])
  })

  test.each(['nowhere', 'slow', 'no%20code'])('is the plain page when folders returns no card: %s', async (code) => {
    const start = performance.now()
    const response = await gateway.call(`/share/${code}`)
    expect([response.status, await response.text()]).toEqual([200, await textOf('/auth')])
    expect(performance.now() - start).toBeLessThan(4_000)
  })
})

test('returns the plain page while folders is unavailable', async () => {
  const isolated = await startGateway({ upstream: 'http://127.0.0.1:9' })
  const response = await isolated.call('/share/open')
  expect([response.status, await response.text()]).toEqual([200, await textOf('/auth')])
  await isolated.close()
})
