import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Mailbox, startMailbox } from '../src/mailbox.ts'
import { mail, sender } from './support.ts'

const KEY = 'k3y-of-this-test'
let mailbox: Mailbox
let mailer: ReturnType<typeof sender>

beforeAll(async () => {
  mailbox = await startMailbox({ pageKey: KEY })
  mailer = sender(mailbox.smtpUrl)
})
afterAll(async () => {
  mailer.close()
  await mailbox.stop()
})

/** fetch cannot set the header Host. */
function open(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const all = { authorization: `Bearer ${KEY}`, ...headers }
    const sent = request(mailbox.url + path, { method, headers: all }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.on('error', reject).end()
  })
}

async function read(path: string) {
  const response = await fetch(mailbox.url + path, { headers: { authorization: `Bearer ${KEY}` } })
  return { html: await response.text(), policy: response.headers.get('content-security-policy') ?? '' }
}

test('The page lists messages, of all recipients or of some, and loads nothing from elsewhere', async () => {
  await mailer.sendMail(mail('ann@example.test', 'For Ann'))
  await mailer.sendMail(mail('bo@example.test', 'For Bo'))
  const { html, policy } = await read('/')
  expect(html).toMatch(/2 messages.+For Bo.+For Ann/s)
  expect(policy).toMatch(/^default-src 'none'; .+ script-src 'nonce-[^']+'; .+ frame-ancestors 'none'/)
  const some = await read('/?to=ANN')
  expect(some.html).toContain('1 message to &quot;ANN&quot;')
  expect(some.html).not.toContain('For Bo')
})

test('The page escapes what messages contain, and lets their HTML load, run and submit nothing', async () => {
  const hostile = '"><script>alert(1)</script>'
  const html = '<link rel="preconnect" href="//b.test"><A target="_self" href="http://a.test/">a</A>'
  await mailer.sendMail({ ...mail('eve@example.test', hostile), text: hostile, html })
  const { id } = await mailbox.waitForMail({ to: 'eve@example.test' })
  for (const path of ['/', `/messages/${id}`, `/?to=${hostile}`])
    expect((await read(path)).html).not.toContain('<script>alert')
  const frame = await read(`/messages/${id}/html`)
  expect(frame.policy).toMatch(/^default-src 'none';.+form-action 'none';.+sandbox allow-popups allow-popups-to/)
  expect(frame.html).toContain('<x-link rel="preconnect"')
  expect(frame.html).toContain('<A target="_blank" rel="noreferrer noopener" target="_self"')
})

test('The page opens to nobody without its key, which its URL leaves in a cookie', async () => {
  for (const path of ['/', '/api/messages', '/?key=wrong', '/messages/1', '/none'])
    expect(await open(path, { authorization: 'Bearer wrong', cookie: 'mailbox=wrong' }), path).toBe(401)
  expect(await open(`/forms/delete?key=${KEY}`, { authorization: '' }, 'POST')).toBe(401)
  expect(await open('/livez', { authorization: '' })).toBe(200)
  const response = await fetch(`${mailbox.url}/?key=${KEY}`, { redirect: 'manual' })
  const [cookie = ''] = response.headers.getSetCookie()
  expect(cookie).toMatch(/^mailbox-\w+=k3y-of-this-test; Path=\/; HttpOnly; SameSite=Lax$/)
  expect(await open('/', { authorization: '', cookie: `other=1; ${cookie.split(';')[0]}` })).toBe(200)
})

test('The page is used by no other web page, and by no name that could be theirs', async () => {
  for (const host of ['localhost:8025', '127.0.0.1', '[::1]:8025', 'mailbox:8080'])
    expect(await open('/', { host }), host).toBe(200)
  for (const host of ['evil.example.com', 'localhost.example.com']) expect(await open('/', { host })).toBe(403)
  for (const origin of ['https://example.com', 'null', 'http://127.0.0.1:1'])
    expect(await open('/forms/delete', { origin }, 'POST'), origin).toBe(403)
  expect(await open('/', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).toBe(403)
  expect(await open('/', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })).toBe(200)
  expect(await open('/forms/delete', { origin: mailbox.url, 'sec-fetch-site': 'same-origin' }, 'POST')).toBe(303)
  expect(await mailbox.messages()).toEqual([])
})
