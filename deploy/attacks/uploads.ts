import { gzipSync } from 'node:zlib'
import type { Attack, Expect } from './attack.ts'
import { type Client, jsonOf } from './client.ts'
import { makePhoto } from './owner.ts'
import { sendRaw, statusesIn } from './raw-request.ts'
import type { Target } from './target.ts'

async function sendFile(client: Client, file: Buffer, name: string, type = 'image/jpeg') {
  const form = new FormData()
  form.append('photo', new Blob([new Uint8Array(file)], { type }), name)
  return client.send('POST', '/api/upload-photo', { form, timeoutMs: 30_000 })
}

const SCRIPT = '<html><script>alert(document.domain)</script></html>'

/** Files that are pictures to one reader and pages or archives to another. */
async function uploadPolyglots(target: Target, expect: Expect): Promise<void> {
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
}

/** Compressed or deep bodies that grow. */
async function inflateBodies(target: Target, expect: Expect): Promise<void> {
  const client = target.openClient()
  const bomb = gzipSync(Buffer.alloc(50_000_000, 0x20)).toString('latin1')
  const type = 'Content-Type: application/json\r\nContent-Encoding:'
  for (const path of ['/api/login', `/api/photos/${target.owner.publicPhotos[0]}/rank`]) {
    for (const encoding of ['gzip', 'deflate', 'br']) {
      const head = `POST ${path} HTTP/1.1\r\n${client.lines()}${type} ${encoding}\r\nContent-Length: ${bomb.length}`
      const [status = 0] = statusesIn(await sendRaw(client, `${head}\r\nConnection: close\r\n\r\n${bomb}`, 2_000))
      expect(status >= 400 && status < 500, `a body compressed with ${encoding} returned ${status}`)
    }
  }
  const deep = `{"username":${'['.repeat(2_000)}${']'.repeat(2_000)}}`
  const nested = await client.send('POST', '/api/login', { json: deep })
  expect(nested.status >= 400 && nested.status < 500, `a deep body returned ${nested.status}`)
  const large = await client.send('POST', '/api/login', { json: { username: 'a'.repeat(200_000), password: 'b' } })
  expect(large.status === 413, `a JSON body of 200 kB returned ${large.status}`)
}

export const UPLOAD_ATTACKS: Attack[] = [
  { name: 'what is no photo is rejected, and what is sent of a photo is never a page', run: uploadPolyglots },
  { name: 'compressed, deep and large bodies are rejected before they grow', run: inflateBodies },
]
