import { setTimeout as delay } from 'node:timers/promises'
import { UPLOAD_PARTS } from '@skyfolio/proto'
import { declareFile, sha256Of } from '../checks/declared-file.ts'
import type { Attack, Expect } from './attack.ts'
import { type Client, jsonOf } from './client.ts'
import { LISTS, type OwnersIds, requestsTo } from './cross-user-requests.ts'
import { makePhoto } from './owner.ts'
import { keyOf, publicRoutes } from './routes.ts'
import type { Target } from './target.ts'
import { declare } from './upload-sessions.ts'

/** Each upload of the metadata screen is a private photo of its own kind. */
async function uploadMetadataPhoto(client: Client, title: string): Promise<number> {
  const form = new FormData()
  form.set('metadata', 'true')
  form.append('photo', new Blob([new Uint8Array(await makePhoto())], { type: 'image/jpeg' }), `${title}.jpg`)
  const { id } = jsonOf<{ id: number }>(await client.send('POST', '/api/upload-photo', { form }))
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const { status } = jsonOf<{ status: string }>(await client.send('GET', `/api/photos/metadata/${id}`))
    if (status !== 'processing') return id
    await delay(100)
  }
  throw new Error('a photo of the metadata screen was not processed within 10 s')
}

export async function collectIds({ owner, marker }: Pick<Target, 'owner' | 'marker'>): Promise<OwnersIds> {
  const { client, publicFolder, publicPhotos } = owner
  const sessions = jsonOf<{ id: string }[]>(await client.send('GET', '/api/user/sessions'))
  await client.send('POST', '/api/user/export')
  const json = { rank: 'first', folderId: publicFolder.id, fingerprint: `owners-fingerprint-${marker}` }
  await client.send('POST', `/api/photos/${publicPhotos[0]}/rank`, { json })
  const links = jsonOf<{ id: number }[]>(await client.send('GET', `/api/folders/${publicFolder.id}/links`))
  const voters = jsonOf<{ voter: string }[]>(await client.send('GET', `/api/folders/${publicFolder.id}/voters`))
  const original = await client.send('GET', owner.privatePhoto.url)
  const customer = { firstName: marker, lastName: marker, email: `${marker}@example.com`, phone: '2185550100' }
  await client.send('PUT', '/api/walgreens/customer', { json: customer })
  const exported = jsonOf<{ url: string | null }>(await client.send('GET', '/api/user/export'))
  return {
    owner,
    downloadId: await prepareDownload(owner),
    sessionId: sessions[0]?.id ?? '',
    metadataPhoto: await uploadMetadataPhoto(client, `metadata ${marker}`),
    exportId: exported.url?.split('/').at(-1) ?? '00000000-0000-4000-8000-000000000000',
    orderId: 1,
    voter: voters[0]?.voter ?? '',
    linkId: links[0]?.id ?? 0,
    hash: sha256Of(original.bytes),
    uploadSession: await openUploadSession(client, marker),
  }
}

async function prepareDownload({ client, privatePhoto }: Target['owner']): Promise<string> {
  const json = { ids: [privatePhoto.id] }
  const { id } = jsonOf<{ id: string }>(await client.send('POST', '/api/photos/downloads', { json }))
  const { status } = await client.send('POST', `/api/photos/downloads/${id}/original`, { json: {} })
  if (status !== 200) throw new Error(`the owner's download was not prepared: ${status}`)
  return id
}

async function openUploadSession(client: Client, marker: string): Promise<OwnersIds['uploadSession']> {
  const part = await makePhoto()
  const { id } = await declare(client, declareFile(`${marker}.jpg`, part, UPLOAD_PARTS.minBytes))
  return { id, part }
}

/** What the owner sees of all that could have been changed. */
async function ownersView({
  client,
  publicFolder,
  privateFolder,
  privatePhoto,
}: Target['owner']): Promise<Map<string, string>> {
  const paths = [
    '/api/user',
    '/api/user/settings',
    '/api/folders',
    `/api/photos?ids=${privatePhoto.id}`,
    '/api/photos/metadata',
    '/api/upload-sessions',
    '/api/walgreens/orders',
    '/api/walgreens/customer',
    `/api/folders/${privateFolder.id}/photos`,
    `/api/folders/${publicFolder.id}/photos`,
    `/api/folders/${publicFolder.id}/voters`,
    `/api/folders/${publicFolder.id}/voting-log`,
  ]
  const view = new Map<string, string>()
  for (const path of paths) view.set(path, (await client.send('GET', path)).text)
  return view
}

async function attackAs(who: string, stranger: Client, ids: OwnersIds, { marker }: Target, expect: Expect) {
  for (const route of publicRoutes()) {
    for (const { path, json, bytes } of requestsTo(route, ids)) {
      const { status, text } = await stranger.send(route.method, path, { json, ...(bytes && { bytes }) })
      const mayNotSucceed = path !== route.path || json !== undefined || route.path.includes('/admin/')
      const what = `${who}: ${route.method} ${path}`
      expect(!text.includes(marker), `${what} shows what is the owner's`)
      expect(status !== 0 && status < 500, `${what} returned ${status}`)
      if (mayNotSucceed && !LISTS.has(keyOf(route))) expect(status >= 400, `${what} returned ${status}`)
    }
  }
}

async function attackAsStrangers(target: Target, expect: Expect): Promise<void> {
  const ids = await collectIds(target)
  const before = await ownersView(target.owner)
  const { client: user } = await target.register()
  await attackAs('another user', user, ids, target, expect)
  await attackAs('a visitor', target.openClient(), ids, target, expect)
  for (const [path, text] of await ownersView(target.owner))
    expect(text === before.get(path), `the owner's ${path} is not as before: ${before.get(path)} became ${text}`)
}

export const CROSS_USER_ATTACKS: Attack[] = [
  { name: 'a stranger who knows all ids reads and changes nothing of a user, on any route', run: attackAsStrangers },
]
