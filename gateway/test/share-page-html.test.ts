import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ORIGIN, startEcho, startGateway, type TestGateway, type Upstream } from './support.ts'

const NAME = `Lakes & <script>alert("1")</script> $& it's`
const upload = (name: string) => `/api/uploads/${name}.webp`
const photo = {
  ...{ title: 'Lake "1" <b>', city: 'Duluth', state: null, width: 6000, height: 4000 },
  ...{ smallUrl: upload('s'), thumbnailUrl: upload('t'), mediumUrl: upload('m'), previewUrl: upload('p') },
}
const raw = { ...photo, smallUrl: null, thumbnailUrl: null, mediumUrl: null, previewUrl: null }
const strange = { ...raw, thumbnailUrl: '/api/uploads/t.webp 640w, https://elsewhere.example/x' }

const MAIN = { main: true, kind: 'vote' }
const cards: Record<string, object> = {
  open: {
    ...MAIN,
    name: NAME,
    description: 'A "morning"\n<b>',
    photographer: 'Bessie "C" <b>',
    photos: 1284,
    cover: { url: '/api/uploads/1f.jpg', title: 'Lake "1" <b>', city: 'Duluth', state: null },
    chosen: photo,
    pictures: [photo],
  },
  three: { ...MAIN, name: 'Three', description: null, photos: 9, cover: null, pictures: [raw, photo, strange, photo] },
  plain: { ...MAIN, name: 'Plain', description: null, photographer: 'Ann', photos: 1, cover: null, pictures: [] },
}

/** The Cookie headers of requests to folders. */
const seenCookies: (string | undefined)[] = []
let folders: Upstream
let gateway: TestGateway
beforeAll(async () => {
  folders = await startEcho((app) =>
    app.get<{ Params: { code: string } }>('/share-cards/:code', async (request, reply) => {
      const { code } = request.params
      seenCookies.push(request.headers.cookie)
      if (code === 'locked' && !request.headers.cookie?.includes('unlocked=')) return reply.code(403).send({})
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
    expect(page).toContain(`<meta property="og:image" content="${ORIGIN}/api/uploads/1f.jpg" />`)
    for (const [name, content] of [
      ['type', 'image/jpeg'],
      ['width', '1200'],
      ['height', '630'],
      ['alt', 'Lake &quot;1&quot; &lt;b&gt;, Duluth'],
    ]) {
      expect(page).toContain(`<meta property="og:image:${name}" content="${content}" />`)
    }
    expect(page).toContain(`<meta property="og:url" content="${ORIGIN}/${screen}/open" />`)
    expect(page).toContain('<meta name="twitter:card" content="summary_large_image" />')
    expect(page.match(/<title>/g)).toHaveLength(1)
    expect(page).not.toContain('<script>alert')
    expect(page).not.toContain('<b>')
  })

  test('is readable before the application has loaded', async () => {
    const page = await textOf('/share/open')
    expect(page).toContain('<div id="root"><main class="prerendered-folder"><header><div data-cover><img ')
    expect(page).toContain('<h1 data-prerendered="name">Lakes &amp; ')
    expect(page).toContain('<p data-prerendered="photographer">Photos by Bessie &quot;C&quot; &lt;b&gt;</p>')
    expect(page).toContain('<p data-prerendered="count">1,284 photos</p>')
    expect(await textOf('/share/plain')).toContain('<p data-prerendered="count">1 photo</p>')
  })

  test('has the pictures of the first row before the application has loaded', async () => {
    const page = await textOf('/share/open')
    const dense = '(min-resolution: 1.5dppx) calc(0.88 *'
    const three = 'calc((min(100vw, 1180px) - 104px) / 3)'
    const two = 'calc((100vw - 80px) / 2)'
    const one = 'calc(100vw - 32px)'
    const sizes = [
      `(min-width: 1024px) and ${dense} ${three}), (min-width: 1024px) ${three}`,
      `(min-width: 640px) and ${dense} ${two}), (min-width: 640px) ${two}`,
      `${dense} ${one}), ${one}`,
    ].join(', ')
    const srcset = `${upload('s')} 320w, ${upload('t')} 640w, ${upload('m')} 1280w`
    expect(page).toContain(
      `<link rel="preload" as="image" imagesrcset="${srcset}" imagesizes="${sizes}" fetchpriority="high" />`,
    )
    expect(page).toContain(
      `<ul><li><img data-prerendered="picture" src="${upload('t')}" srcset="${srcset}" sizes="${sizes}" width="6000" height="4000" alt="Lake &quot;1&quot; &lt;b&gt;, Duluth" fetchpriority="high" /></li></ul>`,
    )
  })

  test('loads the second and third picture only where the first row has them', async () => {
    const page = await textOf('/viewer/three')
    const links = page.match(/<link rel="preload" as="image".*?>/g)
    expect(links).toHaveLength(1)
    expect(links?.[0]).toContain('media="(min-width: 640px)"')
    expect(page.match(/<li>.*?<\/li>/g)).toEqual([
      '<li></li>', // It keeps the place of a photo without a picture.
      expect.stringContaining('loading="lazy"'),
      '<li></li>',
    ])
    expect(page).not.toContain('elsewhere')
  })

  test('has the cover of the voting page, which does not precede the first row', async () => {
    const [cover] = (await textOf('/share/open')).match(/<img data-prerendered="cover".*?>/) ?? []
    expect(cover).toContain(`loading="lazy" src="${upload('t')}" srcset="${upload('s')} 320w`)
    expect(cover).toContain('sizes="(min-resolution: 1.5dppx) calc(0.88 * calc(100vw - 32px)), calc(100vw - 32px)"')
    expect(cover).toContain('alt=""')
    for (const path of ['/viewer/open', '/share/plain']) expect(await textOf(path)).not.toContain('data-cover')
  })

  test('keeps the space between texts and pictures that the application needs', async () => {
    expect(await textOf('/share/three')).toContain('<div data-above-pictures="ranks"></div>')
    expect(await textOf('/browse/three')).toContain('<div data-above-pictures="hint">Browse the drone photos in this')
    expect(await textOf('/share/plain')).not.toContain('data-above-pictures')
  })

  test('describes a folder without description by its photo count and photographer, and omits a missing image', async () => {
    const page = await textOf('/share/plain')
    expect(page).toContain('<meta property="og:description" content="1 photo by Ann" />')
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

  test.each([
    ['vote', 'share'],
    ['view', 'viewer'],
    ['browse', 'browse'],
  ])('of a further link is that of its kind alone: %s', async (kind, own) => {
    cards.further = { ...cards.plain, name: 'Further', main: false, kind }
    for (const screen of ['share', 'viewer', 'browse']) {
      expect((await textOf(`/${screen}/further`)).includes('Further'), screen).toBe(screen === own)
    }
  })

  test('of a locked link is the plain page, until the password was entered; a session is not passed on', async () => {
    cards.locked = { ...cards.plain, name: 'Locked' }
    expect(await textOf('/share/locked')).toBe(await textOf('/terms'))
    const headers = { cookie: 'sid=secret; unlocked=1.1~signature' }
    expect((await gateway.app.inject({ url: '/share/locked', headers })).body).toContain('Locked')
    expect(seenCookies.at(-1)).toBe('unlocked=1.1~signature')
  })

  test.each(['open', 'nowhere', 'no%20code'])('tells search engines not to list it: %s', async (code) => {
    const { headers } = await gateway.call(`/browse/${code}`)
    expect([headers.get('x-robots-tag'), headers.get('referrer-policy')]).toEqual(['noindex', 'same-origin'])
  })

  test.each(['nowhere', 'slow', 'no%20code'])('is the plain page when folders returns no card: %s', async (code) => {
    const start = performance.now()
    const response = await gateway.call(`/share/${code}`)
    expect([response.status, await response.text()]).toEqual([200, await textOf('/terms')])
    expect(performance.now() - start).toBeLessThan(4_000)
  })
})

describe('the page for a frame', () => {
  const ORIGINS = ['https://club.example', 'https://photos.example:8443']
  const listed = {
    ...MAIN,
    name: 'Contest',
    description: null,
    photos: 1,
    cover: null,
    pictures: [],
    embedOrigins: ORIGINS,
  }
  let secure: TestGateway
  beforeAll(async () => {
    secure = await startGateway({ upstream: folders.url, publicOrigin: 'https://skyfolio.test' })
    cards.listed = listed
    cards.further = { ...listed, main: false }
    cards.unlisted = { ...listed, embedOrigins: [] }
    cards.view = { ...listed, main: false, kind: 'view' }
    cards.browse = { ...listed, main: false, kind: 'browse' }
    cards.locked = listed
  })
  afterAll(() => secure.close())

  const frame = (code: string, through = secure) => through.app.inject({ url: `/embed/${code}`, headers: ALL_COOKIES })
  const ALL_COOKIES = { cookie: 'sid=secret; unlocked=1.1~signature; voter=v', 'if-none-match': '*' }
  const policy = (frames: string) =>
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
    `connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors ${frames}`

  test.each(['listed', 'further'])('is shown by the sites of the link alone, and is never kept: %s', async (code) => {
    const { statusCode, headers, body } = await frame(code)
    expect([statusCode, body.includes('<h1 data-prerendered="name">Contest</h1>')]).toEqual([200, true])
    expect(headers).toMatchObject({
      'content-security-policy': policy('https://club.example https://photos.example:8443'),
      'x-robots-tag': 'noindex',
      'cache-control': 'no-store',
      'content-type': 'text/html; charset=utf-8',
      'referrer-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    })
    expect([headers['set-cookie'], headers.etag]).toEqual([undefined, undefined])
  })

  test("is a visitor's, whatever cookies came, and folders sees none of them", async () => {
    expect((await frame('listed')).body).toContain('<html data-visitor')
    expect(seenCookies.at(-1)).toBeUndefined()
  })

  test.each(['unlisted', 'view', 'browse', 'locked', 'nowhere', 'slow', 'no%20code'])(
    'is the plain page without frames, and 404: %s',
    async (code) => {
      const { statusCode, headers, body } = await frame(code)
      expect([statusCode, body]).toEqual([404, await (await secure.call('/terms')).text()])
      expect([headers['content-security-policy'], headers['x-robots-tag']]).toEqual([policy("'none'"), 'noindex'])
      expect(headers['set-cookie']).toBeUndefined()
    },
  )

  test('is 404 without frames where the application is not on https', async () => {
    const { statusCode, headers } = await frame('listed', gateway)
    expect([statusCode, headers['content-security-policy']]).toEqual([404, policy("'none'")])
  })

  test.each(['/share/listed', '/viewer/listed', '/embed/listed/', '/embed', '/api/share/listed', '/assets/x.js'])(
    'is the only one that the sites show: not %s',
    async (path) => {
      expect((await secure.call(path)).headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    },
  )
})

test('returns the plain page while folders is unavailable', async () => {
  const isolated = await startGateway({ upstream: 'http://127.0.0.1:9' })
  const response = await isolated.call('/share/open')
  expect([response.status, await response.text()]).toEqual([200, await textOf('/terms')])
  await isolated.close()
})
