import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startEcho, startGateway, type TestGateway, UPLOAD_LIMITS, type Upstream } from './support.ts'

let echo: Upstream
let gateway: TestGateway
beforeAll(async () => {
  echo = await startEcho()
  gateway = await startGateway({ upstream: echo.url })
})
afterAll(async () => {
  await gateway.close()
  await echo.app.close()
})

describe('the application', () => {
  test.each(['/', '/auth', '/folders/7', '/share/aB3x/more'])(
    '%s returns the page, which browsers revalidate',
    async (path) => {
      const response = await gateway.call(path)
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
      expect(response.headers.get('cache-control')).toBe('private, no-cache')
      const headers = { 'if-none-match': response.headers.get('etag') ?? '' }
      expect((await gateway.app.inject({ url: path, headers })).statusCode).toBe(304)
    },
  )

  test('says in its page that nobody is signed in, only to browsers without a session cookie and to no shared cache', async () => {
    const page = async (cookie: string) => {
      const response = await gateway.app.inject({ url: '/auth', headers: { cookie } })
      expect(response.headers.vary).toBe('cookie')
      return { isMarked: response.body.includes('<html data-visitor'), etag: response.headers.etag }
    }
    const [visitor, signedIn] = [await page('theme=dark'), await page('sid=ended-or-not')]
    expect([visitor.isMarked, signedIn.isMarked]).toEqual([true, false])
    expect(visitor.etag).not.toBe(signedIn.etag)
  })

  test('links what the application loads beside its entry, and no code of screens', async () => {
    const { body } = await gateway.app.inject({ url: '/auth' })
    const links = body.matchAll(/<link rel="modulepreload" crossorigin href="([^"]+)" \/>/g)
    expect([...links].map(([, file]) => file)).toEqual(['/assets/application-1.js', '/assets/controls-1.js'])
  })

  test('caches hashed files as immutable, and serves precompressed variants', async () => {
    const path = '/assets/app-1a2b3c.js'
    const plain = await gateway.call(path, { headers: { 'accept-encoding': 'identity' } })
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(plain.headers.get('content-type')).toContain('javascript; charset=utf-8')
    const small = await gateway.call(path, { method: 'HEAD', headers: { 'accept-encoding': 'br' } })
    expect(small.headers.get('content-encoding')).toBe('br')
    expect(small.headers.get('content-length')).toBe(String('compressed with brotli'.length))
  })

  test('makes browsers revalidate other files', async () => {
    const response = await gateway.call('/icon.svg')
    expect([response.headers.get('content-type'), response.headers.get('cache-control')]).toEqual([
      'image/svg+xml',
      'no-cache',
    ])
  })

  test.each(['/assets/app-old.js', '/assets/', '/missing.png', '/assets/..%2f..%2fpackage.json'])(
    '%s is not found, and does not return the page',
    async (path) => {
      const response = await gateway.call(path)
      expect([403, 404]).toContain(response.status)
      expect(await response.json()).toMatchObject({ code: expect.any(String), message: expect.any(String) })
      // The next release may bring the file.
      expect(response.headers.get('cache-control')).toBe('no-cache')
    },
  )

  test.each(['GET', 'POST', 'DELETE'])(
    'returns an error in the error model for an unknown API path: %s',
    async (method) => {
      const response = await gateway.call('/api/unknown/path', { method })
      expect([response.status, (await response.json()).code]).toEqual([404, 'not_found'])
    },
  )
})

test.each(['/livez', '/readyz', '/metrics'])('%s is for operators and not public', async (path) => {
  const response = await gateway.call(path)
  expect([response.status, (await response.json()).code]).toEqual([404, 'not_found'])
})

test('/api/config returns the limits, and the name and maximum size of each format', async () => {
  const { limits, formats } = await (await gateway.call('/api/config')).json()
  expect(limits).toEqual(UPLOAD_LIMITS)
  expect(formats.map(({ name, maxBytes }: { name: string; maxBytes: number }) => [name, maxBytes])).toEqual([
    ['JPEG', 26_214_400],
    ['PNG', 26_214_400],
    ['TIFF', 157_286_400],
    ['GIF', 26_214_400],
    ['BMP', 26_214_400],
    ['DNG', 157_286_400],
  ])
  expect(formats[2]).toMatchObject({ mediaType: 'image/tiff', extensions: ['.tif', '.tiff'] })
})

describe('security headers', () => {
  test('pages run only their own scripts and cannot be framed', async () => {
    const { headers } = await gateway.call('/share/aB3x')
    const policy = headers.get('content-security-policy') ?? ''
    for (const rule of [
      "default-src 'none'",
      "script-src 'self';",
      "img-src 'self' data: blob:",
      "connect-src 'self';",
      "frame-ancestors 'none'",
    ]) {
      expect(policy).toContain(rule)
    }
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('same-origin')
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect(headers.get('strict-transport-security')).toBeNull()
  })

  test('where browsers reach the store, pages may send parts of uploads to it, and nowhere else', async () => {
    const publicStoreOrigin = 'https://files.skyfolio.test'
    const published = await startGateway({ upstream: gateway.url, publicStoreOrigin })
    const { headers } = await published.call('/')
    expect(headers.get('content-security-policy')).toContain(`; connect-src 'self' ${publicStoreOrigin}; `)
    expect((await (await published.call('/api/config')).json()).uploads.direct).toBe(true)
    expect((await (await gateway.call('/api/config')).json()).uploads.direct).toBe(false)
    await published.close()
  })

  test('API responses, errors included, may run nothing', async () => {
    for (const path of ['/api/uploads/x.jpg', '/api/unknown', '/api/user']) {
      const { headers } = await gateway.call(path)
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'; sandbox")
    }
  })

  test('a service cannot loosen them', async () => {
    const loose = await startEcho((app) => {
      app.get('/api/folders/share/x', (_request, reply) => reply.header('content-security-policy', '*').send('{}'))
    })
    const secure = await startGateway({ upstream: loose.url, publicOrigin: 'https://skyfolio.test' })
    const { headers } = await secure.call('/api/folders/share/x')
    expect(headers.get('content-security-policy')).toContain('sandbox')
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000')
    await secure.close()
    await loose.app.close()
  })
})
