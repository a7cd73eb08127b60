import { randomUUID } from 'node:crypto'
import { type Attack, judge, type Outcome } from './attack.ts'
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
  const files = await makePhotos(4, { width: 400, height: 300 })
  const { folder, own } = await sharePhotos(user.client, { name: 'A voting', files })
  return { user, folder, photos: own.map(({ id }) => id) }
}

/** The ballots of `voteHonestly`, and all others. */
async function readBallots(voting: Voting): Promise<{ honest: Ballot[]; stuffed: Ballot[] }> {
  const isHonest = ({ first }: Ballot) => first === voting.photos[1]
  const all = await listBallots(voting)
  return { honest: all.filter(isHonest), stuffed: all.filter((ballot) => !isHonest(ballot)) }
}

/** All ballots of a folder, in pages, after the flags have been set. */
async function listBallots({ user, folder }: Voting): Promise<Ballot[]> {
  const ballots: Ballot[] = []
  for (let path: string | undefined = `/api/folders/${folder.id}/voters?limit=200`; path; ) {
    const response = await user.client.send('GET', path)
    ballots.push(...jsonOf<Ballot[]>(response))
    path = /<([^>]+)>; rel="next"/.exec(String(response.headers.link ?? ''))?.[1]
  }
  return ballots
}

function vote(
  client: Client,
  { folder, photos }: Voting,
  fingerprint: string,
  more: { photo?: number; rank?: string } = {},
) {
  const json = { rank: more.rank ?? 'first', folderId: folder.id, fingerprint }
  return client.send('POST', `/api/photos/${photos[more.photo ?? 0]}/rank`, { json, timeoutMs: 20_000 })
}

/** One voter, many requests at the same time. */
async function raceOneBallot(target: Target): Promise<Outcome> {
  const { expect, seen } = judge()
  const voting = await openVoting(target)
  const votes = target.short ? 200 : 1_000
  const clients = Array.from({ length: 20 }, () => target.openClient())
  const responses = await Promise.all(
    Array.from({ length: votes }, (_, index) =>
      vote(clients[index % clients.length] as Client, voting, 'one-and-the-same-voter', {
        photo: index % 4,
        rank: RANKS[index % 3] ?? '',
      }),
    ),
  )
  const ballots = await listBallots(voting)
  const [ballot] = ballots
  const places = [ballot?.first, ballot?.second, ballot?.third].filter((id) => id !== 0)
  expect(ballots.length === 1, `there are ${ballots.length} ballots`)
  expect(new Set(places).size === places.length, `a photo has two places: ${places}`)
  expect(
    responses.every(({ status }) => status === 200 || status === 429),
    `votes returned ${[...new Set(responses.map(({ status }) => status))]}`,
  )
  const { tallies } = jsonOf<{ tallies: { first: number; second: number; third: number }[] }>(
    await voting.user.client.send('GET', `/api/folders/${voting.folder.id}/rankings`),
  )
  const counted = tallies.reduce((sum, { first, second, third }) => sum + first + second + third, 0)
  expect(counted === places.length, `${counted} choices are counted, the ballot has ${places.length}`)
  return seen(
    `${votes} votes at the same time: ${responses.filter(({ status }) => status === 200).length} accepted, one ballot`,
  )
}

/** A script that sends nothing but votes. */
async function stuffWithoutPage(target: Target): Promise<Outcome> {
  const { expect, seen } = judge()
  const voting = await openVoting(target)
  const ballots = target.short ? 60 : 290
  const address = target.newAddress()
  for (let number = 0; number < ballots; number += 10) {
    const some = Array.from({ length: 10 }, () => vote(target.openClient(address), voting, randomUUID()))
    for (const { status } of await Promise.all(some))
      expect(status === 200, `a ballot without the page returned ${status}`)
  }
  await voteHonestly(target, voting, target.newAddress())
  const { honest, stuffed } = await readBallots(voting)
  const flagged = stuffed.filter(({ flags }) => flags.includes('no-page'))
  expect(flagged.length === ballots, `only ${flagged.length} of ${ballots} ballots without the page are flagged so`)
  expect(honest.length === 1 && honest[0]?.flags.length === 0, `the honest ballot is flagged: ${honest[0]?.flags}`)
  return seen(`${flagged.length} of ${ballots} ballots without the page are flagged so`)
}

/** Loads the page and votes for the second photo, which no script of these attacks does. */
async function voteHonestly(target: Target, voting: Voting, address: string): Promise<void> {
  const client = target.openClient(address)
  await client.send('GET', `/api/share/${voting.folder.shareCode}`)
  const { status, text } = await vote(client, voting, randomUUID(), { photo: 1 })
  if (status !== 200) throw new Error(`an honest vote returned ${status}: ${text}`)
}

/** A household has a whole network of addresses. */
async function stuffFromNetwork(target: Target): Promise<Outcome> {
  const { expect, seen } = judge()
  const voting = await openVoting(target)
  const ballots = 1_000
  const statuses: number[] = []
  const addressOf = (number: number) =>
    `2001:db8:66:1:${((number * 7919) % 65_536).toString(16)}::${(number + 1).toString(16)}`
  for (let number = 0; number < ballots; number += 50) {
    const responses = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const client = target.openClient(addressOf(number + index))
        // As a careful script does.
        await client.send('GET', `/api/share/${voting.folder.shareCode}`)
        const response = await vote(client, voting, randomUUID())
        client.close()
        return response
      }),
    )
    statuses.push(...responses.map(({ status }) => status))
  }
  await voteHonestly(target, voting, '2001:db8:99::1')
  const { honest, stuffed } = await readBallots(voting)
  const flagged = stuffed.filter(({ flags }) => flags.length > 0)
  expect(
    flagged.length >= 0.95 * stuffed.length,
    `only ${flagged.length} of ${stuffed.length} ballots of one /64 are flagged`,
  )
  expect(honest[0]?.flags.length === 0, `the ballot of another network is flagged: ${honest[0]?.flags}`)
  const rejected = statuses.filter((status) => status === 429).length
  return seen(`${stuffed.length} ballots of one /64, ${flagged.length} flagged, ${rejected} votes rejected`)
}

export const BALLOT_ATTACKS: Attack[] = [
  {
    name: 'a thousand votes of one voter at the same time leave one ballot',
    short: true,
    run: raceOneBallot,
  },
  {
    name: 'ballots of a script that never loads the page are flagged, an honest one is not',
    short: true,
    run: stuffWithoutPage,
  },
  {
    name: 'a thousand ballots from one IPv6 network are flagged, one of another network is not',
    where: 'proxied',
    run: stuffFromNetwork,
  },
]
