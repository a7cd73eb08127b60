import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startEcho, startGateway, type TestGateway, type Upstream, uploadLimits } from './support.ts'

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
    '%s is the page, which is never kept unasked',
    async (path) => {
      const response = await gateway.call(path)
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
      expect(response.headers.get('cache-control')).toBe('no-cache')
      const headers = { 'if-none-match': response.headers.get('etag') ?? '' }
      expect((await gateway.app.inject({ url: path, headers })).statusCode).toBe(304)
    },
  )

  test('hashed files may be kept for ever, and come compressed where they were built so', async () => {
    const path = '/assets/app-1a2b3c.js'
    const plain = await gateway.call(path, { headers: { 'accept-encoding': 'identity' } })
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(plain.headers.get('content-type')).toContain('javascript; charset=utf-8')
    const small = await gateway.call(path, { method: 'HEAD', headers: { 'accept-encoding': 'br' } })
    expect(small.headers.get('content-encoding')).toBe('br')
    expect(small.headers.get('content-length')).toBe(String('compressed with brotli'.length))
  })

  test('other files are asked for anew', async () => {
    const response = await gateway.call('/icon.svg')
    expect([response.headers.get('content-type'), response.headers.get('cache-control')]).toEqual([
      'image/svg+xml',
      'no-cache',
    ])
  })

  test.each(['/assets/app-old.js', '/assets/', '/missing.png', '/assets/..%2f..%2fpackage.json'])(
    '%s is not there, and not the page either',
    async (path) => {
      const response = await gateway.call(path)
      expect([403, 404]).toContain(response.status)
      expect(await response.json()).toMatchObject({ code: expect.any(String), message: expect.any(String) })
    },
  )

  test.each(['GET', 'POST', 'DELETE'])('an unknown API path is answered in the error model: %s', async (method) => {
    const response = await gateway.call('/api/unknown/path', { method })
    expect([response.status, (await response.json()).code]).toEqual([404, 'not_found'])
  })
})

test.each(['/livez', '/readyz', '/metrics'])('%s is for operators, and not behind the public door', async (path) => {
  const response = await gateway.call(path)
  expect([response.status, (await response.json()).code]).toEqual([404, 'not_found'])
})

test('the pages learn the limits, and what each format is called and may weigh', async () => {
  const { limits, formats } = await (await gateway.call('/api/config')).json()
  expect(limits).toEqual(uploadLimits)
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
  test('pages run only their own scripts and are framed by nobody', async () => {
    const { headers } = await gateway.call('/share/aB3x')
    const policy = headers.get('content-security-policy') ?? ''
    for (const rule of [
      "default-src 'none'",
      "script-src 'self';",
      "img-src 'self' data: blob:",
      "frame-ancestors 'none'",
    ]) {
      expect(policy).toContain(rule)
    }
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('same-origin')
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect(headers.get('strict-transport-security')).toBeNull()
  })

  test('answers of the API, refusals included, may run nothing', async () => {
    for (const path of ['/api/uploads/x.jpg', '/api/unknown', '/api/user']) {
      const { headers } = await gateway.call(path)
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'; sandbox")
    }
  })

  test('a service cannot loosen them', async () => {
    const loose = await startEcho((app) => {
      app.get('/api/folders/share/x', (_request, reply) => reply.header('content-security-policy', '*').send('{}'))
    })
    const door = await startGateway({ upstream: loose.url, publicOrigin: 'https://skyfolio.test' })
    const { headers } = await door.call('/api/folders/share/x')
    expect(headers.get('content-security-policy')).toContain('sandbox')
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000')
    await door.close()
    await loose.app.close()
  })
})
