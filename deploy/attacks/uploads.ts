import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { hostileFiles } from '../../services/media/test/fixtures/hostile-files.ts'
import { type Attack, judge, type Outcome } from './attack.ts'
import { type Client, jsonOf } from './client.ts'
import { makePhoto, untilProcessed, upload } from './owner.ts'
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

/** Files whose structure demands much reading: another user's lists are read meanwhile, and then a photo processed. */
async function sendHostileStructures(target: Target): Promise<Outcome> {
  const { expect, seen } = judge()
  const { client } = await target.register()
  const { client: honest } = await target.register()
  const files = hostileFiles()
  const statuses: number[] = []
  let remaining = true
  let slowest = 0
  const looking = (async () => {
    while (remaining) slowest = Math.max(slowest, (await honest.send('GET', '/api/photos')).milliseconds)
  })()
  const waiting = [...files]
  const send = async () => {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      const { status } = await sendFile(client, file.bytes, `${file.what}.${file.format}`)
      expect(status === 201 || status === 400, `a ${file.format} of ${file.what} returned ${status}`)
      statuses.push(status)
    }
  }
  await Promise.all(Array.from({ length: 4 }, send))
  remaining = false
  await looking
  expect(slowest < 500, `a list of another user took ${slowest.toFixed(0)} ms`)
  const start = performance.now()
  const { id } = await upload(honest, { file: await makePhoto(), name: 'honest.jpg' })
  const [photo] = await untilProcessed(honest, [id])
  const seconds = (performance.now() - start) / 1_000
  expect(
    photo?.status === 'ready' && seconds < 15,
    `an honest photo was ${photo?.status} after ${seconds.toFixed(1)} s`,
  )
  const rejected = statuses.filter((status) => status === 400).length
  return seen(
    `${files.length} files of 1 MB, ${rejected} rejected; another user's lists took ${slowest.toFixed(0)} ms at most, a photo ${seconds.toFixed(1)} s`,
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
  const bomb = gzipSync(Buffer.alloc(50_000_000, 0x20))
  const statuses: number[] = []
  const { client: user } = await target.register()
  for (const [sender, path] of [
    [client, '/api/login'],
    [client, `/api/photos/${target.owner.publicPhotos[0]}/rank`],
    [user, '/api/folders'],
  ] as const) {
    for (const encoding of ['gzip', 'deflate', 'br']) {
      const socket = sender.connect()
      let received = ''
      socket.on('data', (chunk: Buffer) => {
        received += chunk.toString('latin1')
      })
      const cookie =
        sender.cookies.size > 0 ? `Cookie: ${sender.cookieHeader()}\r\nOrigin: ${target.endpoint.origin}\r\n` : ''
      const head = `POST ${path} HTTP/1.1\r\n${sender.lines()}${cookie}Content-Type: application/json\r\nContent-Encoding: ${encoding}\r\nContent-Length: ${bomb.length}\r\n\r\n`
      socket.write(head)
      socket.write(bomb)
      for (let waited = 0; waited < 40 && !received; waited += 1) await delay(50)
      socket.destroy()
      statuses.push(Number(/^HTTP\/1\.1 (\d+)/.exec(received)?.[1] ?? 0))
    }
  }
  expect(
    statuses.every((status) => status >= 400 && status < 500),
    `compressed bodies returned ${statuses}`,
  )
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
  const nested = await client.send('POST', '/api/login', {
    json: JSON.parse(`{"username":${deep.slice(0, 2_000).replaceAll(/\]/g, '')}${']'.repeat(2_000)}}`),
  })
  expect(nested.status >= 400 && nested.status < 500, `a deep body returned ${nested.status}`)
  const response = await client.send('POST', '/api/login', { json: { username: 'a'.repeat(200_000), password: 'b' } })
  expect(response.status === 413, `a JSON body of 200 kB returned ${response.status}`)
  return seen(
    `compressed bodies: ${[...new Set(statuses)]}, a deep one: ${nested.status}, a large one: ${response.status}`,
  )
}

const LIMITS_UNKNOWN = 'not attempted: the limits of a user of this system are not known, or are out of reach'
const AT_ONCE = 20

/** One account makes folders until it is stopped. */
async function floodFolders(target: Target): Promise<Outcome> {
  const { expect, seen } = judge()
  if (!target.limits) return seen(LIMITS_UNKNOWN)
  const most = target.limits.folders
  const { client } = await target.register()
  const statuses: number[] = []
  for (let sent = 0; sent < most + 2 * AT_ONCE; sent += AT_ONCE) {
    const json = { name: `Flood ${sent}`, isPublic: false }
    const responses = await Promise.all(
      Array.from({ length: AT_ONCE }, () => client.send('POST', '/api/folders', { json })),
    )
    statuses.push(...responses.map(({ status }) => status))
  }
  const made = statuses.filter((status) => status === 201).length
  expect(made === most, `the limit is ${most}, ${made} folders were made`)
  expect(statuses.at(-1) === 409, `beyond the limit a folder is ${statuses.at(-1)}`)
  return seen(`${made} folders, then ${statuses.at(-1)}`)
}

/** One account sends photos as fast as it can. */
async function floodPhotos(target: Target): Promise<Outcome> {
  const { expect, seen } = judge()
  if (!target.limits) return seen(LIMITS_UNKNOWN)
  const most = target.limits.photosPerMinute
  const { client } = await target.register()
  const base = await makePhoto({ width: 320, height: 320 })
  let made = 0
  let stopped = 0
  // What was not used before counts too, as with all limits by rate.
  while (stopped === 0 && made < 3 * most) {
    const form = new FormData()
    for (let index = 0; index < 10; index += 1) {
      const file = Buffer.concat([base, Buffer.from(`${made} ${index}`)])
      form.append('photos', new Blob([new Uint8Array(file)], { type: 'image/jpeg' }), `${made + index}.jpg`)
    }
    const { status } = await client.send('POST', '/api/upload-photos', { form, timeoutMs: 30_000 })
    if (status === 201) made += 10
    else stopped = status
  }
  expect(stopped === 429, `${made} photos at once where ${most} a minute are allowed, then ${stopped}`)
  return seen(`${made} photos, then ${stopped}`)
}

export const UPLOAD_ATTACKS: Attack[] = [
  {
    name: 'files of a few bytes that claim millions of pixels delay nobody',
    threat: "one account keeps the workers busy, and nobody's photos are processed",
    run: bombWorkers,
  },
  {
    name: 'files of overlapping or countless parts delay nobody',
    threat: 'a small file holds up the requests of everybody, or a worker',
    run: sendHostileStructures,
  },
  {
    name: 'what is no photo is rejected, and what is sent of a photo is never a page',
    threat: 'an upload runs scripts under the name of the installation',
    short: true,
    run: uploadPolyglots,
  },
  {
    name: 'compressed, deep and large bodies are rejected before they grow',
    threat: 'a small request fills the memory',
    short: true,
    run: inflateBodies,
  },
  {
    name: 'the folders of an account are bounded',
    threat: 'one account fills the database',
    where: 'proxied',
    run: floodFolders,
  },
  {
    name: 'the photos of an account per minute are bounded',
    threat: 'one account fills the store and the queue',
    where: 'proxied',
    run: floodPhotos,
  },
]
