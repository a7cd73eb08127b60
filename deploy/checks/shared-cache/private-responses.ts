import { type ListedPhoto, readShare, renditionsOf } from '../load/seed-folders.ts'
import type { SharedCache } from './caches.ts'
import type { LoadResult, SharedFolder } from './picture-load.ts'

const PUBLIC_NAME = /^\/api\/uploads\/s-/

/** Requests all that is not for everybody several times through a cache: nothing of it may be stored. */
export async function checkPrivateResponses(
  { name, url, stored }: SharedCache,
  { id, code, owner }: SharedFolder,
): Promise<LoadResult> {
  const [shared] = (await readShare(url, code)) as [ListedPhoto]
  const own = ((await owner.call('GET', '/api/photos')) as ListedPhoto[]).find(
    (photo) => photo.id === shared.id,
  ) as ListedPhoto
  const opened = await fetch(`${url}/api/share/${code}`)
  const links = opened.headers.getSetCookie().map((text) => text.split(';')[0])
  const asOwner = { cookie: owner.cookie }
  const asVisitor = { cookie: links.join('; ') }
  const requests: [string, Record<string, string>][] = [
    [`/api/share/${code}`, {}],
    [`/api/share/${code}`, asVisitor],
    [`/api/share/${code}/photos/${shared.id}`, asVisitor],
    [`/api/share/${code}/cameras`, asVisitor],
    [`/api/folders/share/${code}`, {}],
    [`/api/folders/share/${code}/photos`, {}],
    [`/share/${code}`, {}],
    [`/api/photos/${shared.id}/image`, asVisitor],
    [`/api/photos/${shared.id}/image`, { 'x-share-code': code }],
    [`/api/folders/${id}/photos`, asOwner],
    ['/api/photos', asOwner],
    ['/api/user', asOwner],
    [`/api/folders/${id}`, asOwner],
    ...[own.url, ...renditionsOf(own)].map((path): [string, Record<string, string>] => [path, asOwner]),
    [own.thumbnailUrl ?? '', {}],
    ['/api/photos/999999/image', {}],
    ['/api/uploads/s-1-1-1-t-0000000000000000000000.webp', {}],
  ]
  const locked = await openLocked(url, { id, owner })
  requests.push(...locked.map(({ path, cookie }): [string, Record<string, string>] => [path, { cookie }]))
  const errors: string[] = []
  for (const [path, headers] of [...requests, ...requests, ...requests]) {
    const response = await fetch(url + path, { headers })
    await response.arrayBuffer()
    if (response.headers.get('x-cache') === 'HIT') errors.push(`${name} gave ${path} from its store`)
  }
  for (const { path } of locked) {
    const { status, headers } = await fetch(url + path)
    const isPage = path.startsWith('/share/')
    if (status !== (isPage ? 200 : 403)) errors.push(`${name} gave a stranger ${path} of a locked link: ${status}`)
    if (headers.get('x-cache') === 'HIT') errors.push(`${name} gave ${path} from its store`)
  }
  const kept = ((await stored()) ?? []).filter(
    (key) => !PUBLIC_NAME.test(key) || locked.some(({ path }) => path === key),
  )
  errors.push(...kept.map((key) => `${name} has stored ${key}`))
  return {
    errors: [...new Set(errors)],
    facts: [`${requests.length} private responses, each three times: none stored`],
  }
}

const PASSWORD = 'a password of the check'

/** Makes a link with a password, and returns what a visitor who has entered it sees. */
async function openLocked(
  url: string,
  { id, owner }: Pick<SharedFolder, 'id' | 'owner'>,
): Promise<{ path: string; cookie: string }[]> {
  const fields = { name: 'Locked', kind: 'vote', password: PASSWORD }
  const { code } = (await owner.call('POST', `/api/folders/${id}/links`, fields)) as { code: string }
  const unlocked = await fetch(`${url}/api/share/${code}/unlock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ password: PASSWORD }),
  })
  const cookie = unlocked.headers
    .getSetCookie()
    .map((text) => text.split(';')[0])
    .join('; ')
  const share = await fetch(`${url}/api/share/${code}`, { headers: { cookie } })
  const { photos } = (await share.json()) as { photos: [ListedPhoto] }
  const paths = [
    `/share/${code}`,
    `/api/share/${code}`,
    `/api/folders/share/${code}/photos`,
    ...renditionsOf(photos[0]),
  ]
  return paths.map((path) => ({ path, cookie }))
}
