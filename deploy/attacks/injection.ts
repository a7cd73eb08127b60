import { setTimeout as delay } from 'node:timers/promises'
import type { Attack, Expect } from './attack.ts'
import { createFolder } from './owner.ts'
import { sendRaw } from './raw-request.ts'
import type { Target } from './target.ts'

const MARKUP = [
  '</title><script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'><svg/onload=alert(1)>",
  '</script><script>alert(1)</script>',
  '<!--<script>',
  "$& $` $' $1 {{alert(1)}}",
  'javascript:alert(1)',
  '\u2028</script>\u2029',
]
const SQL = ["' OR '1'='1", "'; DROP TABLE users; --", '%', '_', '\\', "$1'", '") OR 1=1 --', '0x27', '\u02bc OR 1=1']

/** Elements that no page of the application has. */
function isInjected(html: string): boolean {
  return /<script>alert|<img src=x|<svg\/onload|<script[^>]*>\s*alert/.test(html)
}

async function nameFolders(target: Target, expect: Expect): Promise<void> {
  const { client } = await target.register()
  const visitor = target.openClient()
  const plain = await visitor.send('GET', '/')
  const scripts = (html: string) => [...html.matchAll(/<script/g)].length
  for (const text of MARKUP) {
    const folder = await createFolder(client, text, true)
    await client.send('PUT', `/api/folders/${folder.id}`, { json: { description: text } })
    for (const page of ['share', 'viewer', 'browse']) {
      const { status, text: html, headers } = await visitor.send('GET', `/${page}/${folder.shareCode}`)
      expect(status === 200, `/${page} with the name ${text} returned ${status}`)
      expect(!isInjected(html), `/${page} with the name ${text} has its markup`)
      expect(scripts(html) === scripts(plain.text), `/${page} with the name ${text} has further scripts`)
      const policy = String(headers['content-security-policy'])
      expect(policy.includes("script-src 'self'") && !policy.includes('unsafe'), `/${page} has the policy ${policy}`)
    }
  }
}

async function injectQueries(target: Target, expect: Expect): Promise<void> {
  const { client } = await target.register()
  async function read(path: string, name: string, text: string): Promise<void> {
    const response = await client.send('GET', `${path}?${name}=${encodeURIComponent(text)}`)
    const what = `${path}?${name}=${text}`
    expect(response.status !== 0 && response.status < 500, `${what} returned ${response.status}`)
    expect(response.status >= 400 || !response.text.includes('"id":'), `${what} found something of somebody`)
  }
  for (const text of SQL) {
    for (const name of [
      'q',
      'location',
      'camera',
      'sort',
      'cursor',
      'from',
      'takenFrom',
      'position',
      'limit',
      'ids',
      'skip',
    ])
      await read('/api/photos', name, text)
    await read('/api/walgreens/orders', 'cursor', text)
    const json = { username: text, password: text }
    const { status } = await client.send('POST', '/api/login', { json, anonymous: true })
    expect(status >= 400 && status < 500, `a sign-in as ${text} returned ${status}`)
  }
}

/** What a client writes into paths, headers and bodies does not end a line of the log. */
async function writeLogLines(target: Target, expect: Expect): Promise<void> {
  const client = target.openClient()
  const forged = `{"level":"info","msg":"forged by the suite"}`
  const encoded = encodeURIComponent(`\r\n${forged}\r\n`)
  await client.send('GET', `/api/nothing${encoded}`)
  await client.send('GET', `/api/photos?q=${encoded}`)
  await client.send('POST', '/api/login', { json: { username: `x\n${forged}\n`, password: `x\n${forged}` } })
  await client.send('GET', '/api/config', {
    headers: { 'user-agent': forged, 'x-request-id': forged, referer: forged },
  })
  await sendRaw(client, `GET /api/config\r\n${forged}\r\n\r\n`)
  await sendRaw(client, `GET /api/nothing HTTP/1.1\r\n${client.lines()}X-A: a\r${forged}\r\n\r\n`)
  await delay(300)
  const lines = (target.output ?? []).filter((line) =>
    /^\S*\s*\{"level":"info","msg":"forged by the suite"\}\s*$/.test(line),
  )
  expect(lines.length === 0, `the log has ${lines.length} lines that a client wrote`)
}

export const INJECTION_ATTACKS: Attack[] = [
  { name: 'markup in names and descriptions stays text on share pages', run: nameFolders },
  { name: 'texts of clients are never a part of SQL', run: injectQueries },
  { name: 'texts of clients never begin a line of the log', run: writeLogLines },
]
