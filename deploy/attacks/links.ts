import { setTimeout as delay } from 'node:timers/promises'
import { type Attack, judge, type Outcome } from './attack.ts'
import { type Client, jsonOf, type User } from './client.ts'
import { makePhotos, type OwnFolder, type PublicPhoto, type Shared, sharePhotos } from './owner.ts'
import type { Target } from './target.ts'

/** A public folder of a user of its own. */
async function shareTwo(target: Target): Promise<Shared & { user: User }> {
  const user = await target.register()
  const files = await makePhotos(2)
  return { user, ...(await sharePhotos(user.client, { name: `Shared ${target.marker}`, files })) }
}

const picturesOf = ({ url, smallUrl, thumbnailUrl, mediumUrl, previewUrl }: PublicPhoto): string[] =>
  [url, smallUrl, thumbnailUrl, mediumUrl, previewUrl].filter((path) => path !== null)

/** Whoever counts ids finds nothing without a link. */
async function countIds(target: Target): Promise<Outcome> {
  const { expect, seen } = judge()
  const { own, folder } = await shareTwo(target)
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

interface Change {
  what: string
  /** Whether all of the folder is hidden by it, or only the first photo. */
  hidesAll: boolean
  make(shared: Shared & { user: User }): Promise<unknown>
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
    const shared = await shareTwo(target)
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
  const { user, folder, own } = await shareTwo(target)
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
    short: true,
    run: countIds,
  },
  {
    name: 'what an owner withdraws is gone within a second, on every way',
    run: withdraw,
  },
  {
    name: 'a former link opens nothing and does not vote',
    run: useFormerLink,
  },
]
