import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Attack, judge, type Outcome } from './attack.ts'
import { type Client, jsonOf, type User } from './client.ts'
import { createFolder, makePhoto, type OwnFolder, upload } from './owner.ts'
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
  const folder = await createFolder(user.client, 'A voting', true)
  const photos: number[] = []
  for (let number = 0; number < 4; number += 1) {
    const file = await makePhoto({ width: 400, height: 300 })
    photos.push((await upload(user.client, { file, name: `${number}.jpg`, folderId: folder.id })).id)
  }
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const { photos: shown } = jsonOf<{ photos: unknown[] }>(
      await user.client.send('GET', `/api/share/${folder.shareCode}`),
    )
    if (shown.length === photos.length) return { user, folder, photos }
    await delay(100)
  }
  throw new Error('the folder does not show its photos')
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
  more: { photo?: number; rank?: string; voterToken?: string } = {},
) {
  const { voterToken } = more
  const json = { rank: more.rank ?? 'first', folderId: folder.id, fingerprint, voterToken }
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

/** Tokens that nobody signed are replaced by signed ones. */
async function forgeTokens(target: Target): Promise<Outcome> {
  const { expect, seen } = judge()
  const voting = await openVoting(target)
  const honest = target.openClient()
  await honest.send('GET', `/api/share/${voting.folder.shareCode}`)
  const token = honest.cookies.get('voter') ?? ''
  expect(/^[\w-]{22}\.[\w-]{22}$/.test(token), `the voter token is "${token}"`)
  const [id = '', signature = ''] = token.split('.')
  const forged = [
    `${'A'.repeat(22)}.${signature}`,
    `${id}.${'A'.repeat(22)}`,
    `${id}.${signature}=`,
    `${token}.${signature}`,
    id,
    `${id}.`,
    `${id}.${signature.slice(0, -1)}${signature.endsWith('A') ? 'Q' : 'A'}`,
  ]
  for (const value of forged) {
    const client = target.openClient()
    client.cookies.set('voter', value)
    const { status } = await vote(client, voting, `forged-${randomUUID()}`)
    expect(status === 200, `a vote with the token ${value} returned ${status}`)
    client.cookies.set('voter', value)
    await client.send('GET', `/api/share/${voting.folder.shareCode}`)
    expect(client.cookies.get('voter') !== value, `the page accepted the token ${value}`)
  }
  const flagged = (await listBallots(voting)).filter(({ flags }) => flags.includes('no-page')).length
  expect(flagged === forged.length, `only ${flagged} of ${forged.length} ballots with a forged token are flagged`)
  return seen(`${forged.length} forged tokens`)
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

/** Gets what it can without the page, or from one page, and makes ballots with it. */
async function collectTokens(target: Target): Promise<Outcome> {
  const { expect, seen } = judge()
  const voting = await openVoting(target)
  const share = `/api/share/${voting.folder.shareCode}`
  const removal = target.openClient()
  await vote(removal, voting, randomUUID(), { rank: '' })
  expect(!removal.cookies.has('voter'), 'a vote that removes nothing gives a voter token')
  for (let count = 0; count < 3; count += 1) await vote(removal, voting, randomUUID())

  const loader = target.openClient()
  const page = await loader.send('GET', share)
  const voterToken = String(page.headers['voter-token'])
  for (let count = 0; count < 3; count += 1) {
    await vote(loader, voting, randomUUID())
    await vote(target.openClient(loader.address), voting, randomUUID())
    await vote(target.openClient(loader.address), voting, randomUUID(), { voterToken })
  }
  await voteHonestly(target, voting, target.newAddress())
  const { honest, stuffed } = await readBallots(voting)
  const unflagged = stuffed.filter(({ flags }) => flags.length === 0).length
  expect(stuffed.length === 12, `there are ${stuffed.length} ballots`)
  expect(unflagged === 0, `${unflagged} of ${stuffed.length} ballots have no flag`)
  expect(honest[0]?.flags.length === 0, `the honest ballot is flagged: ${honest[0]?.flags}`)
  return seen(`${stuffed.length} ballots from one page and from none: all flagged`)
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
    threat: 'a voter who is fast enough counts more than once',
    short: true,
    run: raceOneBallot,
  },
  {
    name: 'a voter token that nobody signed is replaced',
    threat: 'a script makes tokens of its own',
    short: true,
    run: forgeTokens,
  },
  {
    name: 'ballots of a script that never loads the page are flagged, an honest one is not',
    threat: 'a contest is decided by a script, and its owner sees nothing of it',
    short: true,
    run: stuffWithoutPage,
  },
  {
    name: 'ballots of one page that was loaded once are flagged, whatever becomes of its token',
    threat: 'a script loads one page, or none, and makes as many ballots as it likes',
    short: true,
    run: collectTokens,
  },
  {
    name: 'a thousand ballots from one IPv6 network are flagged, one of another network is not',
    threat: 'a contest is decided by one household, and its owner sees nothing of it',
    where: 'proxied',
    run: stuffFromNetwork,
  },
]
