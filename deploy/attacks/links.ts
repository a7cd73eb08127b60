import { setTimeout as delay } from 'node:timers/promises'
import { type Attack, judge, type Outcome } from './attack.ts'
import { type Client, jsonOf, type User } from './client.ts'
import {
  createFolder,
  makePhoto,
  type OwnFolder,
  type OwnPhoto,
  type PublicPhoto,
  readShare,
  untilProcessed,
  upload,
} from './owner.ts'
import type { Target } from './target.ts'

interface Shared {
  user: User
  folder: OwnFolder
  own: OwnPhoto[]
  shown: PublicPhoto[]
}

/** A public folder of a user of its own. */
async function sharePhotos(target: Target, count = 2): Promise<Shared> {
  const user = await target.register()
  const folder = await createFolder(user.client, `Shared ${target.marker}`, true)
  const ids: number[] = []
  for (let number = 0; number < count; number += 1) {
    ids.push((await upload(user.client, { file: await makePhoto(), name: `${number}.jpg`, folderId: folder.id })).id)
  }
  const own = await untilProcessed(user.client, ids)
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const shown = await readShare(user.client, folder.shareCode)
    if (shown.length === count && shown.every(({ previewUrl }) => previewUrl)) return { user, folder, own, shown }
    await delay(100)
  }
  throw new Error('the folder does not show its photos')
}

const picturesOf = ({ url, smallUrl, thumbnailUrl, mediumUrl, previewUrl }: PublicPhoto): string[] =>
  [url, smallUrl, thumbnailUrl, mediumUrl, previewUrl].filter((path) => path !== null)

/** Whoever counts ids finds nothing without a link. */
async function countIds(target: Target): Promise<Outcome> {
  const { expect, seen } = judge()
  const { own, folder } = await sharePhotos(target)
  const stranger = target.openClient()
  const first = Math.max(1, (own[0]?.id ?? 1) - 10)
  const paths: string[] = []
  for (let id = first; id < first + 20; id += 1) paths.push(`/api/photos/${id}/image`, `/api/photos/metadata/${id}`)
  for (let id = Math.max(1, folder.id - 5); id < folder.id + 5; id += 1) {
    paths.push(
      `/api/folders/${id}`,
      `/api/folders/${id}/photos`,
      `/api/folders/${id}/rankings`,
      `/api/folders/${id}/voters`,
    )
    paths.push(`/api/share/${id}`, `/share-cards/${id}`)
  }
  for (const path of paths) {
    const { status, text } = await stranger.send('GET', path)
    expect(status === 404 || status === 401 || text.startsWith('<!'), `GET ${path} returned ${status}`)
    expect(!text.includes(target.marker), `GET ${path} shows what is in the folder`)
  }
  return seen(`${paths.length} requests without a link`)
}

/** Names of pictures that differ a little from a right one. */
async function forgeNames(target: Target): Promise<Outcome> {
  const { expect, seen } = judge()
  const { shown } = await sharePhotos(target)
  const stranger = target.openClient()
  const path = shown[0]?.thumbnailUrl ?? ''
  const other = (shown[1]?.thumbnailUrl ?? '').match(/s-[a-z]-(\d+)|s-(\d+)/)?.[0] ?? ''
  const forged = [
    ...['-t-', '-p-', '-m-', '-o-', '-v-']
      .filter((kind) => !path.includes(kind))
      .map((kind) => path.replace(/-[a-z]-(?=[^-]+$)/, kind)),
    path.replace(/s-[a-z]-\d+|s-\d+/, other),
    path.replace(/.\.webp$/, (end) => (end[0] === 'A' ? 'B.webp' : 'A.webp')),
    path.replace(/.\.webp$/, '.webp'),
    path.replace(/\.webp$/, '=.webp'),
    path.replace(/\.webp$/, '.jpg'),
    path.replace(/\.webp$/, '.WEBP'),
    path.toUpperCase(),
    `${path}/`,
    path.replace('/api/uploads/', '/api/uploads//'),
    path.replace(/\.webp$/, '%00.webp'),
  ].filter((name) => name !== path)
  for (const name of forged) {
    const { status, headers } = await stranger.send('GET', name)
    expect(status === 404 || status === 400, `GET ${name} returned ${status}`)
    expect(!String(headers['cache-control']).includes('public'), `the rejection of ${name} may be stored`)
  }
  return seen(`${forged.length} forged names`)
}

interface Change {
  what: string
  /** Whether all of the folder is hidden by it, or only the first photo. */
  hidesAll: boolean
  make(shared: Shared): Promise<unknown>
}

const CHANGES: Change[] = [
  {
    what: 'a photo is made private',
    hidesAll: false,
    make: ({ user, own }) =>
      user.client.send('PATCH', `/api/photos/${own[0]?.id}/privacy`, { json: { isPublic: false } }),
  },
  {
    what: 'the link is renewed',
    hidesAll: true,
    make: ({ user, folder }) => user.client.send('POST', `/api/folders/${folder.id}/share-code`),
  },
  {
    what: 'the folder is made private',
    hidesAll: true,
    make: ({ user, folder }) => user.client.send('PUT', `/api/folders/${folder.id}`, { json: { isPublic: false } }),
  },
]
const WITHIN_MS = 1_000

/** All ways to what is withdrawn, for somebody who had opened the link before. */
async function readAllWays(visitor: Client, { folder, own, shown }: Shared, hidesAll: boolean): Promise<string[]> {
  const id = own[0]?.id
  const photo = shown.find((one) => one.id === id) as PublicPhoto
  const bytes = [
    ...picturesOf(photo),
    `/api/photos/${id}/image`,
    own[0]?.thumbnailUrl ?? '',
    `/api/share/${folder.shareCode}/photos/${id}`,
  ]
  const pages = hidesAll
    ? [
        `/api/share/${folder.shareCode}`,
        `/api/folders/share/${folder.shareCode}`,
        `/api/folders/share/${folder.shareCode}/photos`,
      ]
    : []
  const open: string[] = []
  // A stored name stays while the photo is visible: only a renewed link leaves it as it is.
  for (const path of [...bytes, ...pages]) {
    const { status } = await visitor.send('GET', path)
    if (status !== 404) open.push(`GET ${path} returned ${status}`)
  }
  const byHeader = await visitor.send('GET', `/api/photos/${id}/image`, {
    headers: { 'x-share-code': folder.shareCode },
  })
  if (byHeader.status !== 404) open.push(`the image by header returned ${byHeader.status}`)
  const json = {
    rank: 'first',
    folderId: folder.id,
    fingerprint: `late-${crypto.randomUUID()}`,
    shareCode: folder.shareCode,
  }
  const vote = await visitor.send('POST', `/api/photos/${id}/rank`, { json })
  if (vote.status === 200) open.push('a vote was accepted')
  if (hidesAll) {
    const html = await visitor.send('GET', `/share/${folder.shareCode}`)
    if (html.text.includes(folder.name)) open.push('the page shows the name')
  }
  return open
}

async function withdraw(target: Target): Promise<Outcome> {
  const { expect, faults, seen } = judge()
  const texts: string[] = []
  for (const { what, hidesAll, make } of CHANGES) {
    const shared = await sharePhotos(target)
    const visitor = target.openClient()
    await visitor.send('GET', `/api/share/${shared.folder.shareCode}`)
    const before = await Promise.all(
      picturesOf(shared.shown[0] as PublicPhoto).map((path) => visitor.send('GET', path)),
    )
    expect(
      before.every(({ status }) => status === 200),
      `before ${what} pictures returned ${before.map(({ status }) => status)}`,
    )
    jsonOf((await make(shared)) as Awaited<ReturnType<Client['send']>>)
    const start = performance.now()
    let open = ['nothing was attempted']
    let took = 0
    while (open.length > 0 && performance.now() - start < 5_000) {
      took = performance.now() - start
      open = (await readAllWays(visitor, shared, hidesAll)).filter((one) => !isStoredName(one, shared, what))
    }
    if (took > WITHIN_MS || open.length > 0)
      faults.push(...open.map((one) => `${what}: ${one}`), `${what}: it took ${Math.round(took)} ms`)
    texts.push(`${what}: ${Math.round(took)} ms`)
  }
  return seen(texts.join(', '))
}

/** By decision 30 a renewed link does not end stored names, which only the owner learns. */
function isStoredName(fault: string, { own }: Shared, what: string): boolean {
  return what === 'the link is renewed' && fault.includes(own[0]?.thumbnailUrl ?? 'none')
}

/** A former link opens nothing, whatever it is sent with. */
async function useFormerLink(target: Target): Promise<Outcome> {
  const { expect, seen } = judge()
  const { user, folder, own } = await sharePhotos(target)
  const visitor = target.openClient()
  await visitor.send('GET', `/api/share/${folder.shareCode}`)
  const { shareCode: current } = jsonOf<OwnFolder>(
    await user.client.send('POST', `/api/folders/${folder.id}/share-code`),
  )
  await delay(WITHIN_MS)
  const id = own[0]?.id
  const vote = (more: object) => ({
    json: { rank: 'first', folderId: folder.id, fingerprint: 'former-fingerprint', ...more },
  })
  const path = `/api/photos/${id}/rank`
  const attempts: [string, Awaited<ReturnType<Client['send']>>][] = [
    ['a vote with the former cookie', await visitor.send('POST', path, vote({}))],
    ['a vote with the former code', await visitor.send('POST', path, vote({ shareCode: folder.shareCode }))],
    ['a vote with ids alone', await target.openClient().send('POST', path, vote({}))],
    ['a vote with a list of codes', await visitor.send('POST', path, vote({ shareCode: [current] }))],
    [
      'ranks with ids alone',
      await visitor.send('GET', `/api/folders/${folder.id}/rankings?fingerprint=former-fingerprint`),
    ],
    ['an image with the former cookie', await visitor.send('GET', `/api/photos/${id}/image`)],
    ['an image with ids alone', await target.openClient().send('GET', `/api/photos/${id}/image`)],
  ]
  for (const [what, { status }] of attempts) expect(status === 404 || status === 400, `${what} returned ${status}`)
  const forged = target.openClient()
  forged.cookies.set(
    'links',
    `${visitor.cookies.get('links')}`.replace(/\d+/, (digits) => `${Number(digits) + 1}`),
  )
  expect(
    (await forged.send('GET', `/api/photos/${id}/image`)).status === 404,
    'a changed cookie of links opens an image',
  )
  const right = await target.openClient().send('POST', path, vote({ shareCode: current }))
  expect(right.status === 200, `a vote with the current code returned ${right.status}`)
  return seen(`${attempts.length + 1} attempts with a former link`)
}

export const LINK_ATTACKS: Attack[] = [
  {
    name: 'who counts ids sees nothing of shared folders without a link',
    threat: 'secret links protect nothing',
    short: true,
    run: countIds,
  },
  {
    name: 'a forged name of a picture is 404 and never stored',
    threat: 'pictures are opened without a link',
    short: true,
    run: forgeNames,
  },
  {
    name: 'what an owner withdraws is gone within a second, on every way',
    threat: 'an owner cannot take back what was shared',
    run: withdraw,
  },
  {
    name: 'a former link opens nothing and does not vote',
    threat: 'a link that was renewed because it got around still works',
    run: useFormerLink,
  },
]
