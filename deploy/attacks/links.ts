import { setTimeout as delay } from 'node:timers/promises'
import type { Attack, Expect } from './attack.ts'
import { type Client, jsonOf } from './client.ts'
import { makePhoto, type OwnFolder, sharePhotos } from './owner.ts'
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

export const LINK_ATTACKS: Attack[] = [{ name: 'a former link opens nothing and does not vote', run: useFormerLink }]
