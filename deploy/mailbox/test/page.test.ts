import { request } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Mailbox, startMailbox } from '../src/mailbox.ts'
import { mail, sender } from './support.ts'

let mailbox: Mailbox
let mailer: ReturnType<typeof sender>

beforeAll(async () => {
  mailbox = await startMailbox({ pageHosts: ['mail.example.com'] })
  mailer = sender(mailbox.smtpUrl)
})
afterEach(async () => {
  await mailbox.clearFault()
  await mailbox.deleteMessages()
})
afterAll(async () => {
  mailer.close()
  await mailbox.stop()
})

const text = async (path = '/'): Promise<string> => (await fetch(mailbox.url + path)).text()
const form = (name: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  fetch(`${mailbox.url}/forms/${name}`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    redirect: 'manual',
    headers,
  })
const send = async (changes: object) => {
  await mailer.sendMail({ ...mail('ann@example.test'), ...changes })
  return (await mailbox.messages())[0]?.id ?? ''
}

describe('the page', () => {
  test('says that no mail leaves it, and loads nothing from elsewhere', async () => {
    const response = await fetch(mailbox.url)
    expect(await response.text()).toContain('Mailbox: no mail leaves it')
    const policy = response.headers.get('content-security-policy')
    expect(policy).toMatch(
      /^default-src 'none'; connect-src 'self'; frame-src 'self'; style-src 'nonce-[^']+'; script-src 'nonce-/,
    )
    expect(policy).toContain("frame-ancestors 'none'")
  })

  test('lists messages, of all recipients or of some', async () => {
    await send({ subject: 'For Ann' })
    await send({ subject: 'For Bo', to: 'bo@example.test' })
    const all = await text()
    expect(all.indexOf('For Bo')).toBeLessThan(all.indexOf('For Ann'))
    expect(all).toContain('2 messages')
    const some = await text('/?to=ANN')
    expect(some).toContain('For Ann')
    expect(some).not.toContain('For Bo')
    expect(some).toContain('1 message to &quot;ANN&quot;')
  })

  test('shows a message as HTML in a frame, as text with links, its headers and its source', async () => {
    const id = await send({
      text: 'Open http://127.0.0.1:8080/confirm-email#token=a-b_c. Bye',
      headers: { 'X-Kind': 'trial' },
    })
    const first = await text(`/messages/${id}`)
    expect(first).toContain(`src="/messages/${id}/html"`)
    expect(first).toContain('sandbox="allow-popups allow-popups-to-escape-sandbox"')
    const address = 'http://127.0.0.1:8080/confirm-email#token=a-b_c'
    const link = `<a href="${address}" target="_blank" rel="noreferrer noopener">${address}</a>. Bye`
    expect(await text(`/messages/${id}?view=text`)).toContain(link)
    const headers = await text(`/messages/${id}?view=headers`)
    expect(headers).toContain('X-Kind: trial')
    expect(headers).not.toContain('confirm-email')
    expect(await text(`/messages/${id}?view=source`)).toContain('Content-Type: multipart/alternative')
    expect(await text(`/messages/${id}?view=constructor`)).toContain('<iframe')
  })

  test('shows the text of a message without HTML', async () => {
    const id = await send({ html: undefined })
    const shown = await text(`/messages/${id}`)
    expect(shown).not.toContain('<iframe')
    expect(shown).toContain('Hello, Grüße')
    expect(await text(`/messages/${id}?view=html`)).toContain('This message has no HTML.')
  })

  test('escapes what messages contain', async () => {
    const hostile = '"><script>alert(1)</script>'
    const id = await send({ subject: hostile, text: `http://a.test/"><script>alert(1)</script> ${hostile}` })
    for (const path of [
      '/',
      `/messages/${id}`,
      `/messages/${id}?view=text`,
      `/messages/${id}?view=source`,
      `/?to=${hostile}`,
    ]) {
      expect(await text(path)).not.toContain('<script>alert')
    }
  })

  test('deletes all messages, and sets and removes faults', async () => {
    const id = await send({})
    expect((await form('delete')).status).toBe(303)
    expect(await mailbox.summaries()).toEqual([])
    expect((await fetch(`${mailbox.url}/messages/${id}`)).status).toBe(404)
    await form('faults', { reply: 'busy', every: '5' })
    expect(await mailbox.fault()).toMatchObject({ reply: 'busy', every: 5, code: 451 })
    expect(await text()).toContain('One mail in 5: try again later (451). 0 so far.')
    await form('faults', { remove: 'true' })
    expect(await mailbox.fault()).toBeNull()
    expect((await form('faults', { reply: 'melt' })).status).toBe(400)
  })

  test('learns of new messages', async () => {
    const changes = async () => JSON.parse(await text('/api/changes')).changes
    const before = await changes()
    await send({})
    expect(await changes()).toBeGreaterThan(before)
  })
})

describe('the HTML of a message', () => {
  test('runs no scripts, loads nothing and submits nothing', async () => {
    const id = await send({})
    const { headers } = await fetch(`${mailbox.url}/messages/${id}/html`)
    const policy = headers.get('content-security-policy')?.split('; ')
    expect(policy).toEqual([
      "default-src 'none'",
      "style-src 'unsafe-inline'",
      'img-src data:',
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'self'",
      'sandbox allow-popups allow-popups-to-escape-sandbox',
    ])
    expect(headers.get('referrer-policy')).toBe('no-referrer')
  })

  test('has links that open in a tab of their own, whatever they say', async () => {
    const html = '<link rel="preconnect" href="//b.test"><A target="_self" href="http://a.test/">a</A><abbr>b</abbr>'
    const id = await send({ html })
    const shown = await text(`/messages/${id}/html`)
    expect(shown).toContain('<A target="_blank" rel="noreferrer noopener" target="_self" href="http://a.test/">a</A>')
    expect(shown).toContain('<x-link rel="preconnect"')
    expect(shown).toContain('<abbr>b</abbr>')
  })
})

describe('a page with a key', () => {
  const KEY = 'k3y-of-this-test'
  let locked: Mailbox
  beforeAll(async () => {
    locked = await startMailbox({ pageKey: KEY })
  })
  afterAll(() => locked.stop())
  const open = (path: string, headers: Record<string, string> = {}) =>
    fetch(locked.url + path, { headers, redirect: 'manual' })

  test('answers nobody who lacks the key, except the probe', async () => {
    for (const path of ['/', '/api/messages', '/?key=wrong', '/messages/1', '/none'])
      expect((await open(path)).status, path).toBe(401)
    expect((await open('/', { authorization: 'Bearer wrong', cookie: 'mailbox=wrong' })).status).toBe(401)
    const forms = await fetch(`${locked.url}/forms/delete?key=${KEY}`, { method: 'POST', redirect: 'manual' })
    expect(forms.status).toBe(401)
    expect((await open('/livez')).status).toBe(200)
  })

  test('leaves the key of its URL in a cookie, and takes it from programs as a bearer token', async () => {
    const response = await open(`/?key=${KEY}`)
    expect([response.status, response.headers.get('location')]).toEqual([303, '/'])
    const [cookie = ''] = response.headers.getSetCookie()
    expect(cookie).toMatch(/^mailbox-\w+=k3y-of-this-test; Path=\/; HttpOnly; SameSite=Lax$/)
    const page = await open('/', { cookie: `other=1; ${cookie.split(';')[0]}` })
    expect(await page.text()).toContain('Mailbox: no mail leaves it')
    expect(await locked.messages()).toEqual([])
  })
})

describe('other web pages', () => {
  /** fetch cannot set the header Host. */
  const statusFor = (headers: Record<string, string>) =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(mailbox.url)
      request({ hostname, port, path: '/api/messages', headers }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
        .on('error', reject)
        .end()
    })

  test('cannot post to it', async () => {
    const own = { origin: mailbox.url, 'sec-fetch-site': 'same-origin' }
    expect((await form('delete', {}, own)).status).toBe(303)
    for (const origin of ['https://example.com', 'null', 'http://127.0.0.1:1']) {
      expect((await form('delete', {}, { origin })).status).toBe(403)
    }
    expect(await statusFor({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).toBe(403)
    expect(await statusFor({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })).toBe(200)
  })

  test('cannot read it by a name of their own', async () => {
    for (const host of ['localhost:8025', '127.0.0.1', '[::1]:8025', 'mailbox:8080', 'mail.example.com']) {
      expect(await statusFor({ host })).toBe(200)
    }
    for (const host of ['evil.example.com', 'localhost.example.com', 'a b'])
      expect(await statusFor({ host })).not.toBe(200)
  })
})
