import { gzipSync } from 'node:zlib'
import { type Attack, judge, type Outcome } from './attack.ts'
import { type Client, jsonOf } from './client.ts'
import { makePhoto, untilProcessed, upload } from './owner.ts'
import { sendRaw, statusesIn } from './raw-request.ts'
import type { Target } from './target.ts'

async function sendFile(client: Client, file: Buffer, name: string, type = 'image/jpeg') {
  const form = new FormData()
  form.append('photo', new Blob([new Uint8Array(file)], { type }), name)
  return client.send('POST', '/api/upload-photo', { form, timeoutMs: 30_000 })
}

/** A GIF of a few bytes that claims this size. */
function gif(width: number, height: number): Buffer {
  const head = Buffer.from('GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\0\0\0\0\0\x02\x02D\x01\0;', 'latin1')
  for (const at of [6, 24]) {
    head.writeUInt16LE(width, at)
    head.writeUInt16LE(height, at + 2)
  }
  return head
}

function pngHeader(width: number, height: number): Buffer {
  const head = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0\0\0\0\0\x08\x06\0\0\0\0\0\0\0', 'latin1')
  head.writeUInt32BE(width, 16)
  head.writeUInt32BE(height, 20)
  return Buffer.concat([head, Buffer.from('\0\0\0\0IEND\xaeB`\x82', 'latin1')])
}

/** Small files that cost a lot: another user's photo is processed meanwhile. */
async function bombWorkers(target: Target): Promise<Outcome> {
  const { expect, seen } = judge()
  const { client } = await target.register()
  const { client: honest } = await target.register()
  const statuses: number[] = []
  for (let number = 0; number < 20; number += 1) {
    // Half of them are large enough for their pixels to get to a worker.
    const padding = Buffer.alloc(number % 2 === 0 ? 1 : 30_000, number)
    const bomb = Buffer.concat([gif(16_800, 16_800), padding])
    statuses.push((await sendFile(client, bomb, `bomb-${number}.gif`, 'image/gif')).status)
  }
  statuses.push((await sendFile(client, pngHeader(2 ** 31 - 1, 2 ** 31 - 1), 'bomb.png', 'image/png')).status)
  statuses.push((await sendFile(client, pngHeader(60_000, 60_000), 'bomb2.png', 'image/png')).status)
  const start = performance.now()
  const { id } = await upload(honest, { file: await makePhoto(), name: 'honest.jpg' })
  const [photo] = await untilProcessed(honest, [id])
  const seconds = (performance.now() - start) / 1_000
  expect(photo?.status === 'ready', `an honest photo became ${photo?.status}`)
  expect(seconds < 15, `an honest photo took ${seconds.toFixed(1)} s`)
  expect(
    statuses.every((status) => status !== 0 && status < 500),
    `bombs returned ${[...new Set(statuses)]}`,
  )
  return seen(
    `${statuses.length} bombs: ${[...new Set(statuses)]}; an honest photo was ready after ${seconds.toFixed(1)} s`,
  )
}

const SCRIPT = '<html><script>alert(document.domain)</script></html>'

/** Files that are pictures to one reader and pages or archives to another. */
async function uploadPolyglots(target: Target): Promise<Outcome> {
  const { expect, seen } = judge()
  const { client } = await target.register()
  const photo = await makePhoto()
  const rejected: [string, Buffer, string][] = [
    ['page.html', Buffer.from(SCRIPT), 'text/html'],
    ['page.jpg', Buffer.from(SCRIPT), 'image/jpeg'],
    ['drawing.svg', Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`), 'image/svg+xml'],
    ['drawing.jpg', Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/jpeg'],
    ['gif.js', Buffer.from('GIF89a=1;alert(1)//'), 'image/gif'],
    ['archive.jpg', Buffer.from('PK\x03\x04'), 'image/jpeg'],
    ['pdf.jpg', Buffer.from('%PDF-1.7'), 'image/jpeg'],
    ['empty.jpg', Buffer.alloc(0), 'image/jpeg'],
  ]
  for (const [name, file, type] of rejected) {
    const { status } = await sendFile(client, file, name, type)
    expect(status >= 400 && status < 500, `${name} returned ${status}`)
  }
  const taken = await sendFile(client, Buffer.concat([photo, Buffer.from(SCRIPT)]), 'photo.html', 'text/html')
  if (taken.status === 201) {
    const { url } = jsonOf<{ url: string }>(taken)
    const { headers, status } = await client.send('GET', url)
    expect(
      status === 200 && headers['content-type'] === 'image/jpeg',
      `the original is sent as ${headers['content-type']}`,
    )
    expect(headers['x-content-type-options'] === 'nosniff', 'its type may be guessed')
    expect(String(headers['content-security-policy']).includes('sandbox'), 'opened directly it may run')
    expect(!url.endsWith('.html'), `its name is ${url}`)
  }
  return seen(`${rejected.length} files that are no photos rejected; a photo with a page behind it: ${taken.status}`)
}

/** Compressed or deep bodies that grow. */
async function inflateBodies(target: Target): Promise<Outcome> {
  const { expect, seen } = judge()
  const client = target.openClient()
  const bomb = gzipSync(Buffer.alloc(50_000_000, 0x20)).toString('latin1')
  const paths = ['/api/login', `/api/photos/${target.owner.publicPhotos[0]}/rank`]
  const requests = paths.flatMap((path) =>
    ['gzip', 'deflate', 'br'].map(
      (encoding) =>
        `POST ${path} HTTP/1.1\r\n${client.lines()}Content-Type: application/json\r\nContent-Encoding: ${encoding}\r\nContent-Length: ${bomb.length}\r\n\r\n${bomb}`,
    ),
  )
  const responses = await Promise.all(requests.map((request) => sendRaw(client, request, 2_000)))
  const statuses = responses.map((response) => statusesIn(response)[0] ?? 0)
  expect(
    statuses.every((status) => status >= 400 && status < 500),
    `compressed bodies returned ${statuses}`,
  )
  const jsonText = `{"username":${'['.repeat(2_000)}${']'.repeat(2_000)}}`
  const nested = await client.send('POST', '/api/login', { jsonText })
  expect(nested.status >= 400 && nested.status < 500, `a deep body returned ${nested.status}`)
  const large = await client.send('POST', '/api/login', { json: { username: 'a'.repeat(200_000), password: 'b' } })
  expect(large.status === 413, `a JSON body of 200 kB returned ${large.status}`)
  return seen(
    `compressed bodies: ${[...new Set(statuses)]}, a deep one: ${nested.status}, a large one: ${large.status}`,
  )
}

export const UPLOAD_ATTACKS: Attack[] = [
  {
    name: 'files of a few bytes that claim millions of pixels delay nobody',
    run: bombWorkers,
  },
  {
    name: 'what is no photo is rejected, and what is sent of a photo is never a page',
    short: true,
    run: uploadPolyglots,
  },
  {
    name: 'compressed, deep and large bodies are rejected before they grow',
    short: true,
    run: inflateBodies,
  },
]
