import { randomUUID } from 'node:crypto'
import type { Attack, Expect } from './attack.ts'
import { type Client, jsonOf, type User } from './client.ts'
import { makePhotos, type OwnFolder, sharePhotos } from './owner.ts'
import type { Target } from './target.ts'

interface Ballot {
  voter: string
  first: number
  second: number
  third: number
  flags: string[]
}

interface Voting {
  user: User
  folder: OwnFolder
  photos: number[]
}

const RANKS = ['first', 'second', 'third']

async function openVoting(target: Target): Promise<Voting> {
  const user = await target.register()
  const { folder, own } = await sharePhotos(user.client, { name: 'A voting', files: await makePhotos(4) })
  return { user, folder, photos: own.map(({ id }) => id) }
}

/** After the flags have been set. */
async function readBallots({ user, folder }: Voting): Promise<Ballot[]> {
  return jsonOf<Ballot[]>(await user.client.send('GET', `/api/folders/${folder.id}/voters?limit=200`))
}

function vote(client: Client, { folder, photos }: Voting, fingerprint: string, photo = 0, rank = 'first') {
  const json = { rank, folderId: folder.id, fingerprint }
  return client.send('POST', `/api/photos/${photos[photo]}/rank`, { json, timeoutMs: 20_000 })
}

/** One voter, many requests at the same time. */
async function raceOneBallot(target: Target, expect: Expect): Promise<void> {
  const voting = await openVoting(target)
  const clients = Array.from({ length: 20 }, () => target.openClient())
  const responses = await Promise.all(
    Array.from({ length: target.short ? 200 : 1_000 }, (_, index) =>
      vote(clients[index % clients.length] as Client, voting, 'one-and-the-same-voter', index % 4, RANKS[index % 3]),
    ),
  )
  const statuses = new Set(responses.map(({ status }) => status))
  expect(
    statuses.has(200) && [...statuses].every((status) => [200, 429].includes(status)),
    `votes got ${[...statuses]}`,
  )
  const ballots = await readBallots(voting)
  const [ballot] = ballots
  const chosen = [ballot?.first, ballot?.second, ballot?.third].filter((id) => id !== 0)
  expect(ballots.length === 1, `there are ${ballots.length} ballots`)
  expect(new Set(chosen).size === chosen.length, `a photo is chosen twice: ${chosen}`)
  const { tallies } = jsonOf<{ tallies: { first: number; second: number; third: number }[] }>(
    await voting.user.client.send('GET', `/api/folders/${voting.folder.id}/rankings`),
  )
  const counted = tallies.reduce((sum, { first, second, third }) => sum + first + second + third, 0)
  expect(counted === chosen.length, `${counted} choices are counted, the ballot has ${chosen.length}`)
}

/** A script that sends nothing but votes, and a person who loads the page and votes for another photo. */
async function stuffWithoutPage(target: Target, expect: Expect): Promise<void> {
  const voting = await openVoting(target)
  const address = target.newAddress()
  for (let round = 0; round < 6; round += 1) {
    const some = Array.from({ length: 10 }, () => vote(target.openClient(address), voting, randomUUID()))
    for (const { status } of await Promise.all(some))
      expect(status === 200, `a ballot without the page returned ${status}`)
  }
  const honest = target.openClient()
  await honest.send('GET', `/api/share/${voting.folder.shareCode}`)
  const { status } = await vote(honest, voting, randomUUID(), 1)
  expect(status === 200, `an honest vote returned ${status}`)
  const ballots = await readBallots(voting)
  const flagged = ballots.filter(({ flags }) => flags.includes('no-page'))
  expect(flagged.length === 60, `${flagged.length} of 60 ballots without the page are flagged so`)
  const own = ballots.find(({ first }) => first === voting.photos[1])
  expect(own?.flags.length === 0, `the honest ballot is flagged: ${own?.flags}`)
}

export const BALLOT_ATTACKS: Attack[] = [
  { name: 'a thousand votes of one voter at the same time leave one ballot', run: raceOneBallot },
  { name: 'ballots of a script that never loads the page are flagged, an honest one is not', run: stuffWithoutPage },
]
