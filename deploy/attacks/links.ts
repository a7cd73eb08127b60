import { setTimeout as delay } from 'node:timers/promises'
import type { Attack, Expect } from './attack.ts'
import { type Client, jsonOf } from './client.ts'
import { makePhoto, type OwnFolder, type PublicPhoto, sharePhotos } from './owner.ts'
import type { Target } from './target.ts'

const WITHIN_MS = 1_000

/** A former link opens nothing, whatever it is sent with. */
async function useFormerLink(target: Target, expect: Expect): Promise<void> {
  const user = await target.register()
  const { folder, own } = await sharePhotos(user.client, { name: 'Shared', files: [await makePhoto()] })
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
  const forged = target.openClient()
  const revision = (digits: string) => `${Number(digits) + 1}`
  forged.cookies.set('links', `${visitor.cookies.get('links')}`.replace(/\d+/, revision))
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
    ['an image with a changed cookie', await forged.send('GET', `/api/photos/${id}/image`)],
    ['an image with ids alone', await target.openClient().send('GET', `/api/photos/${id}/image`)],
  ]
  for (const [what, { status }] of attempts) expect(status === 404 || status === 400, `${what} returned ${status}`)
  const right = await target.openClient().send('POST', path, vote({ shareCode: current }))
  expect(right.status === 200, `a vote with the current code returned ${right.status}`)
}

interface OwnLink {
  id: number
  code: string
}

const PASSWORD = 'a password of the attacks'
const WRONG_PASSWORDS = 30

/** Before its password a link gives nothing of its folder, in whatever way; one of another link or of before does not count. */
async function openLockedLink(target: Target, expect: Expect): Promise<void> {
  const { client: owner } = await target.register()
  const name = `Secret ${Math.random()}`
  const { folder, own } = await sharePhotos(owner, { name, files: [await makePhoto()] })
  const photoId = own[0]?.id
  const links = `/api/folders/${folder.id}/links`
  const makeLink = async () =>
    jsonOf<OwnLink>(await owner.send('POST', links, { json: { name: 'Client', kind: 'vote', password: PASSWORD } }))
  const [locked, other] = [await makeLink(), await makeLink()]
  const client = target.openClient()
  const unlock = (visitor: Client, { code }: OwnLink, password = PASSWORD) =>
    visitor.send('POST', `/api/share/${code}/unlock`, { json: { password } })
  expect((await unlock(client, locked)).status === 204, 'the right password did not unlock the link')
  const { photos } = jsonOf<{ photos: PublicPhoto[] }>(await client.send('GET', `/api/share/${locked.code}`))
  const [shown] = photos as [PublicPhoto]
  const { url: archive } = jsonOf<{ url: string }>(
    await client.send('POST', `/api/share/${locked.code}/download`, { json: {} }),
  )
  const seen = await client.send('GET', `${shown.thumbnailUrl}`)
  expect(
    seen.status === 200 && /private/.test(`${seen.headers['cache-control']}`),
    'a picture was not given, or as public',
  )

  async function tryAll(visitor: Client, who: string): Promise<void> {
    const code = locked.code
    const etag = { headers: { 'if-none-match': `${seen.headers.etag}`, range: 'bytes=0-9' } }
    const attempts: [string, Awaited<ReturnType<Client['send']>>][] = [
      ['the page', await visitor.send('GET', `/share/${code}`)],
      ['the folder', await visitor.send('GET', `/api/share/${code}`)],
      ['the folder alone', await visitor.send('GET', `/api/folders/share/${code}`)],
      ['the photos', await visitor.send('GET', `/api/folders/share/${code}/photos`)],
      ['a photo', await visitor.send('GET', `/api/share/${code}/photos/${photoId}`)],
      ['a photo that does not exist', await visitor.send('GET', `/api/share/${code}/photos/999999`)],
      ['the cameras', await visitor.send('GET', `/api/share/${code}/cameras`)],
      ['a new archive', await visitor.send('POST', `/api/share/${code}/download`, { json: {} })],
      ['the archive', await visitor.send('GET', archive)],
      ['an image', await visitor.send('GET', `/api/photos/${photoId}/image`, { headers: { 'x-share-code': code } })],
      ['a picture', await visitor.send('GET', `${shown.thumbnailUrl}`)],
      ['a picture that it has', await visitor.send('GET', `${shown.thumbnailUrl}`, etag)],
      ['the original', await visitor.send('GET', shown.url)],
      [
        'a vote',
        await visitor.send('POST', `/api/photos/${photoId}/rank`, {
          json: { rank: 'first', folderId: folder.id, fingerprint: 'locked-fingerprint', shareCode: code },
        }),
      ],
    ]
    for (const [what, { status, text }] of attempts) {
      expect(
        // Names of pictures from before a change name nothing any more.
        what === 'the page' ? status === 200 : [403, 404].includes(status),
        `${what} of a locked link returned ${status} to ${who}`,
      )
      expect(!text.includes(name), `${what} of a locked link told ${who} the name of the folder`)
    }
  }

  await tryAll(target.openClient(), 'a stranger')
  const friend = target.openClient()
  await unlock(friend, other)
  await friend.send('GET', `/api/share/${other.code}`)
  await tryAll(friend, 'who has another link of the folder')
  const forger = target.openClient()
  const unlocked = `${friend.cookies.get('unlocked')}`
  forger.cookies.set('unlocked', unlocked.replace(other.id.toString(36), locked.id.toString(36)))
  forger.cookies.set('links', `${client.cookies.get('unlocked')}`)
  await tryAll(forger, 'who forged the cookies')
  jsonOf(await owner.send('PATCH', `${links}/${locked.id}`, { json: { password: `${PASSWORD}, changed` } }))
  await delay(WITHIN_MS)
  await tryAll(client, 'who had entered the former password')
}

/** Guesses of one network are few, also at the same time, and those of another link are counted for themselves. */
async function guessPassword(target: Target, expect: Expect): Promise<void> {
  const { client: owner } = await target.register()
  const { folder } = await sharePhotos(owner, { name: 'Guessed', files: [await makePhoto()] })
  const { code } = jsonOf<OwnLink>(
    await owner.send('POST', `/api/folders/${folder.id}/links`, {
      json: { name: 'Client', kind: 'view', password: PASSWORD },
    }),
  )
  const guesser = target.openClient()
  const guess = (password: string) => guesser.send('POST', `/api/share/${code}/unlock`, { json: { password } })
  const answers = await Promise.all(Array.from({ length: WRONG_PASSWORDS }, (_, index) => guess(`guess ${index}`)))
  const wrong = answers.filter(({ status }) => status === 403).length
  expect(wrong <= 10, `${wrong} of ${WRONG_PASSWORDS} passwords were checked`)
  const right = await guess(PASSWORD)
  expect(right.status === 429, `the right password after too many wrong ones returned ${right.status}`)
  expect(target.openClient().cookies.size === 0 && !guesser.cookies.has('unlocked'), 'a wrong password set a cookie')
}

/** Only the sites that the owner has listed get a page for a frame, which reaches no session; the list cannot carry anything else. */
async function embedFolder(target: Target, expect: Expect): Promise<void> {
  const { client: owner } = await target.register()
  const { folder, own } = await sharePhotos(owner, { name: 'Embedded', files: [await makePhoto()] })
  const links = `/api/folders/${folder.id}/links`
  const [main] = jsonOf<OwnLink[]>(await owner.send('GET', links))
  const listed = 'https://club.example'
  const list = (embedOrigins: unknown) => owner.send('PATCH', `${links}/${main?.id}`, { json: { embedOrigins } })

  async function expectFrames(of: string, frames: string): Promise<void> {
    const headers = { referer: 'https://evil.example/', origin: 'https://evil.example' }
    const { headers: received } = await owner.send('GET', of, { headers })
    const policy = `${received['content-security-policy']}`
    expect(policy.endsWith(`; frame-ancestors ${frames}`), `${of}: policy ${policy}`)
    expect(received['set-cookie'] === undefined, `${of} set a cookie`)
  }

  const page = `/embed/${folder.shareCode}`
  await expectFrames(page, "'none'")
  for (const origin of [
    ...['*', 'https://*', 'https://*.example', 'http://club.example', 'https:', "'self'", 'data:', listed.repeat(50)],
    ...[
      `${listed} *`,
      `${listed}; script-src *`,
      `${listed};script-src`,
      `${listed}\r\nset-cookie: a=b`,
      `${listed},*`,
    ],
    ...[[`${listed};`], { origin: listed }, null],
  ]) {
    const { status, text } = await list([origin])
    expect(status === 400, `the website ${JSON.stringify(origin)} was answered with ${status}: ${text}`)
  }
  await expectFrames(page, "'none'")
  jsonOf(await list([listed]))
  const isSecure = target.endpoint.origin.startsWith('https:')
  await expectFrames(page, isSecure ? listed : "'none'")
  for (const other of [`/share/${folder.shareCode}`, `/browse/${folder.shareCode}`, `${page}/`, '/embed/unknown', '/'])
    await expectFrames(other, "'none'")
  const headers = { 'x-embed': 'true' }
  for (const path of ['/api/user', '/api/photos', links, `/api/folders/${folder.id}/rankings`]) {
    const { status, text } = await owner.send('GET', path, { headers })
    expect(status === 401 || status === 404, `GET ${path} of a page in a frame returned ${status}: ${text}`)
  }
  const { status } = await owner.send('DELETE', `/api/photos/${own[0]?.id}`, { headers })
  expect(status === 401, `a page in a frame deleted a photo: ${status}`)
  jsonOf(await list([]))
  await expectFrames(page, "'none'")
}

export const LINK_ATTACKS: Attack[] = [
  { name: 'a former link opens nothing and does not vote', run: useFormerLink },
  { name: 'a locked link tells nothing of its folder', run: openLockedLink },
  { name: 'the password of a link is not guessed', run: guessPassword },
  { name: 'a link is embedded by the listed sites alone, without a session', run: embedFolder },
]
