import { setTimeout as delay } from 'node:timers/promises'
import { type Attack, judge, type Outcome } from './attack.ts'
import { type Client, jsonOf } from './client.ts'
import { createFolder, makePhoto, readShare, upload } from './owner.ts'
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
const FORMULAS = [
  '=1+1',
  '+1+1',
  '-1+1',
  '@SUM(1)',
  '\t=1+1',
  '\r=1+1',
  '=HYPERLINK("http://evil.example","x")',
  '"=1+1',
]
const SQL = ["' OR '1'='1", "'; DROP TABLE users; --", '%', '_', '\\', "$1'", '") OR 1=1 --', '0x27', '\u02bc OR 1=1']

/** Elements that no page of the application has. */
function isInjected(html: string): boolean {
  return /<script>alert|<img src=x|<svg\/onload|<script[^>]*>\s*alert/.test(html)
}

async function nameFolders(target: Target): Promise<Outcome> {
  const { expect, seen } = judge()
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
  return seen(`${MARKUP.length} names and descriptions on three pages`)
}

async function nameSheets(target: Target): Promise<Outcome> {
  const { expect, seen } = judge()
  const { client } = await target.register()
  const folder = await createFolder(client, '=1+1\r\nX-Injected: yes', true)
  const ids: number[] = []
  for (const title of FORMULAS) {
    const { id } = await upload(client, {
      file: await makePhoto({ width: 400, height: 300 }),
      name: 'a.jpg',
      folderId: folder.id,
    })
    jsonOf(await client.send('PATCH', `/api/photos/${id}`, { json: { title } }))
    ids.push(id)
  }
  const { text, headers } = await untilListed(client, folder.id, ids.length)
  const cells = text
    .split(/\r?\n/)
    .slice(1)
    .flatMap((line) => line.split(','))
  const formulas = cells.filter(
    (cell) => /^"?[\t\r ]*[=+@]/.test(cell) || /^"?[\t\r ]*-[^0-9]/.test(cell) || /^"?-1\+1/.test(cell),
  )
  expect(formulas.length === 0, `the sheet has cells that are formulas: ${formulas}`)
  expect(headers['x-injected'] === undefined, 'a folder name became a header')
  expect(String(headers['content-disposition']).startsWith('attachment'), 'the sheet is shown, not saved')
  return seen(`${FORMULAS.length} titles in a sheet of ${cells.length} cells`)
}

/** The projection of folders follows after the upload. */
async function untilListed(client: Client, folderId: number, count: number) {
  for (let attempt = 0; ; attempt += 1) {
    const response = await client.send('GET', `/api/folders/${folderId}/rankings.csv`)
    if (response.text.trim().split('\n').length > count || attempt === 50) return response
    await delay(200)
  }
}

async function injectQueries(target: Target): Promise<Outcome> {
  const { expect, seen } = judge()
  const { client } = await target.register()
  let sent = 0
  async function read(path: string, name: string, text: string): Promise<void> {
    sent += 1
    const response = await client.send('GET', `${path}?${name}=${encodeURIComponent(text)}`)
    const what = `${path}?${name}=${text}`
    expect(response.status !== 0 && response.status < 500, `${what} returned ${response.status}`)
    expect(response.status >= 400 || !response.text.includes('"id":'), `${what} found something of somebody`)
  }
  for (const text of SQL) {
    for (const name of ['q', 'location', 'sort', 'cursor', 'from', 'limit', 'ids', 'skip'])
      await read('/api/photos', name, text)
    await read('/api/walgreens/orders', 'cursor', text)
    sent += 1
    const json = { username: text, password: text }
    const { status } = await client.send('POST', '/api/login', { json, anonymous: true })
    expect(status >= 400 && status < 500, `a sign-in as ${text} returned ${status}`)
  }
  return seen(`${sent} requests`)
}

/** What a client writes into paths, headers and bodies does not end a line of the log. */
async function writeLogLines(target: Target): Promise<Outcome> {
  const { expect, seen } = judge()
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
  return seen(
    target.output ? `${target.output.length} lines of output` : 'sent; the output of this system is not known here',
  )
}

/** A name in a share page's photos never leaves JSON: the API responds with a type that no browser runs. */
async function titlePhotos(target: Target): Promise<Outcome> {
  const { expect, seen } = judge()
  const { client } = await target.register()
  const folder = await createFolder(client, 'Titles', true)
  const { id } = await upload(client, { file: await makePhoto(), name: '"><script>alert(1)<.jpg', folderId: folder.id })
  jsonOf(await client.send('PATCH', `/api/photos/${id}`, { json: { title: MARKUP[0], description: MARKUP[3] } }))
  for (let attempt = 0; attempt < 50 && (await readShare(client, folder.shareCode)).length === 0; attempt += 1)
    await delay(100)
  const share = await client.send('GET', `/api/share/${folder.shareCode}`)
  const page = await client.send('GET', `/share/${folder.shareCode}`)
  expect(String(share.headers['content-type']).startsWith('application/json'), 'the share is not JSON')
  expect(share.headers['x-content-type-options'] === 'nosniff', 'the type of the share may be guessed')
  expect(!isInjected(page.text), 'the page has markup of a title')
  return seen('a title, a description and a file name with markup')
}

export const INJECTION_ATTACKS: Attack[] = [
  {
    name: 'markup in names and descriptions stays text on share pages',
    threat: 'who opens a link runs a script of a stranger with the own session',
    short: true,
    run: nameFolders,
  },
  {
    name: 'markup in titles and file names of photos stays text',
    threat: 'who opens a link runs a script of a stranger with the own session',
    run: titlePhotos,
  },
  {
    name: "titles are no formulas in the owner's sheet, and no name becomes a header",
    threat: "the owner's spreadsheet runs what a title says",
    run: nameSheets,
  },
  {
    name: 'texts of clients are never a part of SQL',
    threat: 'a stranger reads or destroys the database',
    short: true,
    run: injectQueries,
  },
  {
    name: 'texts of clients never begin a line of the log',
    threat: 'an attacker covers the traces or makes up those of others',
    short: true,
    run: writeLogLines,
  },
]
