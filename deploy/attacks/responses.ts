import { setTimeout as delay } from 'node:timers/promises'
import { mailboxAt } from '@skyfolio/mailbox'
import type { Attack, Expect } from './attack.ts'
import type { HttpResponse } from './client.ts'
import { readShare } from './owner.ts'
import { sendRaw } from './raw-request.ts'
import type { Target } from './target.ts'

/** One response of every kind, by its name. */
async function collectKinds(target: Target): Promise<Map<string, HttpResponse>> {
  const { client, publicFolder, publicPhotos, privatePhoto } = target.owner
  const visitor = target.openClient()
  const [photo] = await readShare(visitor, publicFolder.shareCode)
  const index = await visitor.send('GET', '/')
  const asset = /\/assets\/[^"]+\.js/.exec(index.text)?.[0] ?? '/assets/none.js'
  const kinds: [string, Promise<HttpResponse>][] = [
    ['page', Promise.resolve(index)],
    ['share page', visitor.send('GET', `/share/${publicFolder.shareCode}`)],
    ['page of an unknown link', visitor.send('GET', '/share/unknown')],
    ['script', visitor.send('GET', asset)],
    ['missing script', visitor.send('GET', '/assets/missing.js')],
    ['API of a share', visitor.send('GET', `/api/share/${publicFolder.shareCode}`)],
    ['public configuration', visitor.send('GET', '/api/config')],
    ['picture', visitor.send('GET', photo?.thumbnailUrl ?? '')],
    ['original', visitor.send('GET', photo?.url ?? '')],
    ['image by id', visitor.send('GET', `/api/photos/${publicPhotos[0]}/image`)],
    ['missing picture', visitor.send('GET', '/api/uploads/s-1-1-1-t-0000000000000000000000.webp')],
    ["owner's picture", client.send('GET', privatePhoto.thumbnailUrl ?? '')],
    ["owner's photos", client.send('GET', '/api/photos')],
    ["owner's account", client.send('GET', '/api/user')],
    ["owner's sheet", client.send('GET', `/api/folders/${publicFolder.id}/rankings.csv`)],
    ['API without a session', visitor.send('GET', '/api/user')],
    ['unknown API', visitor.send('GET', '/api/unknown')],
    ['rejected write', visitor.send('POST', '/api/login', { json: {} })],
    ['foreign origin', visitor.send('POST', '/api/login', { json: {}, headers: { origin: 'https://evil.example' } })],
    ['invalid JSON', visitor.send('POST', '/api/login', { json: 'text', headers: { 'content-type': 'text/xml' } })],
  ]
  return new Map(await Promise.all(kinds.map(async ([kind, response]) => [kind, await response] as const)))
}

const FOR_EVERYBODY = ['script', 'picture', 'original']

async function inspectHeaders(target: Target, expect: Expect): Promise<void> {
  for (const [kind, { status, headers, text }] of await collectKinds(target)) {
    const policy = String(headers['content-security-policy'])
    expect(status !== 0 && status < 500, `${kind}: ${status}`)
    expect(headers['x-content-type-options'] === 'nosniff', `${kind}: its type may be guessed`)
    for (const directive of ["default-src 'none'", "frame-ancestors 'none'"])
      expect(policy.includes(directive), `${kind}: policy ${policy}`)
    expect(!/unsafe-(inline|eval)|\*/.test(policy), `${kind}: policy ${policy}`)
    expect(headers['cross-origin-resource-policy'] === 'same-origin', `${kind}: other sites may embed it`)
    expect(headers['x-powered-by'] === undefined && headers.server === undefined, `${kind}: it names its software`)
    const isJson = headers['content-type']?.includes('json')
    expect(!(isJson && /node_modules|at \w+ \(|PrismaClient|ECONN/.test(text)), `${kind}: it shows what is inside`)
    if (target.endpoint.origin.startsWith('https:'))
      expect(headers['strict-transport-security'] !== undefined, `${kind}: no HSTS`)
    const control = String(headers['cache-control'])
    const isPublic =
      /public|s-maxage/.test(control) || (!/private|no-store|no-cache/.test(control) && /max-age/.test(control))
    expect(headers['cache-control'] !== undefined, `${kind}: no cache-control`)
    expect(!isPublic || FOR_EVERYBODY.includes(kind), `${kind}: ${control} may be stored for everybody`)
    expect(!isPublic || headers['set-cookie'] === undefined, `${kind}: stored for everybody with a cookie`)
    expect(!isPublic || status === 200, `${kind}: the error ${status} may be stored`)
  }
  const raw = await sendRaw(target.openClient(), 'NOT HTTP\r\n\r\n')
  expect(raw.startsWith('HTTP/1.1 400') && !/text\/html/i.test(raw), 'what is not HTTP is responded to with a page')
}

/** Names that a client sends in place of the installation's. */
async function poisonHost(target: Target, expect: Expect): Promise<void> {
  const { publicFolder, client } = target.owner
  const headers = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    forwarded: 'host=evil.example',
  }
  const visitor = target.openClient()
  for (const path of ['/', `/share/${publicFolder.shareCode}`, '/api/config', `/api/share/${publicFolder.shareCode}`]) {
    const { text, headers: received } = await visitor.send('GET', path, { headers })
    const isRepeated = `${text}${JSON.stringify(received)}`.includes('evil.example')
    expect(!isRepeated, `GET ${path} repeats the name that the client sent`)
  }
  const email = `${target.marker}@example.com`
  await visitor.send('POST', '/api/password-reset', { json: { email }, headers })
  await client.send('POST', '/api/user/email/confirmation', { headers })
  // Elsewhere nobody here reads them.
  if (!target.mailbox) return
  const mails = await untilMail(target, email)
  expect(mails.length > 0, `no mail came to ${email}`)
  expect(!mails.includes('evil.example'), 'a mail has a link to another site')
  expect(mails.includes(new URL(target.endpoint.origin).host), 'the mail has no link to the installation')
}

async function untilMail(target: Target, email: string): Promise<string> {
  const mailbox = mailboxAt(target.mailbox?.url ?? '', target.mailbox?.key)
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const messages = await mailbox.messages(email)
    if (messages.length > 0) return JSON.stringify(messages)
    await delay(100)
  }
  return ''
}

export const RESPONSE_ATTACKS: Attack[] = [
  { name: 'every response has its security headers, and no shared cache may store a private one', run: inspectHeaders },
  { name: 'links in mails and pages never lead to a host that a client named', run: poisonHost },
]
