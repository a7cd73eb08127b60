/*
 * Seeded models of who votes in a folder: people, each with a browser, and scripts. What the flags are judged by.
 */

/** A ballot as the vote statement would have stored it. */
export interface ModelBallot {
  /** By a script, not by a person. */
  isScript: boolean
  address: string
  /** When it was made, after the start of the voting. */
  seconds: number
  fingerprint: string
  token: string
  /** Made by a vote without a voter token. */
  pageUnseen: boolean
  tokenMismatch: boolean
  /** Photos by their number, from the first rank on. */
  choices: number[]
}

export interface Scenario {
  name: string
  /** What comes at one voting. */
  ballots(random: Random): ModelBallot[]
}

export type Random = () => number

/** A reproducible sequence of numbers from 0 to 1. */
export function seededRandom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

const MINUTE = 60
const HOUR = 3600

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
const between = (random: Random, least: number, most: number) => least + random() * (most - least)
const nameOf = (random: Random) => `${random()}${random()}`
const inNetwork = (random: Random, network: string) => `${network}${Math.floor(random() * 0xffff).toString(16)}`

const PHOTOS = 20

/** A photo, by Zipf's law: that of number 0 has a quarter of the choices, the next one half as many. */
function popularPhoto(random: Random): number {
  let rest = random() * numbers(PHOTOS).reduce((sum, photo) => sum + 1 / (photo + 1), 0)
  return numbers(PHOTOS).findIndex((photo) => {
    rest -= 1 / (photo + 1)
    return rest < 0
  })
}

interface Person {
  address: string
  seconds: number
  /** How many of all such people have browsers that keep no cookies. */
  withoutCookies: number
  /** How many have this as their first choice, and mostly no other; default: popular photos, as many as they like. */
  favourite?: { photo: number; share: number }
}

/** One in five people loads the page again between two votes, which without cookies gives another token. */
const RELOADS = 0.2

/** Somebody who opens the page, whose token votes have also without cookies, and gives one to three ranks. */
function person(random: Random, { address, seconds, withoutCookies, favourite }: Person): ModelBallot {
  const keepsCookies = random() >= withoutCookies
  const votes = 1 + Math.floor(random() * 3)
  const choices = new Set<number>()
  while (choices.size < votes) choices.add(popularPhoto(random))
  const agrees = favourite !== undefined && random() < favourite.share
  return {
    isScript: false,
    ...{ address, seconds, fingerprint: nameOf(random), token: nameOf(random) },
    pageUnseen: false,
    tokenMismatch: !keepsCookies && votes > 1 && random() < RELOADS,
    choices: agrees ? [favourite.photo] : [...choices],
  }
}

interface Script {
  ballots: number
  /** Between two ballots, at least and at most. */
  pause: [number, number]
  address(random: Random): string
  /** The token of each vote: none, one of a page loaded for it, or always that of the first page. */
  token: 'none' | 'new' | 'same'
}

/** The photo that scripts vote for: hardly anybody else does. */
const RIGGED = 17

/** A program that makes ballots, one after another, each with a single vote. */
function script(random: Random, { ballots, pause, address, token }: Script): ModelBallot[] {
  const same = nameOf(random)
  let seconds = 10 * MINUTE
  return numbers(ballots).map(() => {
    seconds += between(random, ...pause)
    return {
      isScript: true,
      ...{ address: address(random), seconds, fingerprint: nameOf(random) },
      token: token === 'same' ? same : nameOf(random),
      pageUnseen: token === 'none',
      tokenMismatch: false,
      choices: [RIGGED],
    }
  })
}

const FESTIVAL_CARRIER = (number: number) => `198.51.100.${number}`

/** A day at a festival: half of the people vote at any time, half within ten minutes after one of four concerts. */
function festival(random: Random): ModelBallot[] {
  return numbers(6_000).map(() => {
    const concert = (1 + Math.floor(random() * 4)) * 80 * MINUTE
    const seconds = random() < 0.5 ? random() * 6 * HOUR : concert + random() * 10 * MINUTE
    const address = FESTIVAL_CARRIER(Math.floor(random() * 4))
    return person(random, { address, seconds, withoutCookies: 0.03 })
  })
}

function group(people: number, within: number, options: Omit<Person, 'seconds'>) {
  return (random: Random) => numbers(people).map(() => person(random, { ...options, seconds: random() * within }))
}

function homes(random: Random, favourite?: Person['favourite']): ModelBallot[] {
  return numbers(300).flatMap((home) => {
    const evening = random() * 5 * HOUR
    return numbers(1 + Math.floor(random() * 4)).map(() => {
      const address = inNetwork(random, `2001:db8:77:${home.toString(16)}::`)
      const seconds = evening + random() * 20 * MINUTE
      return person(random, { address, seconds, withoutCookies: 0.05, ...(favourite && { favourite }) })
    })
  })
}

const ONE_ADDRESS = () => '203.0.113.66'
const ONE_NETWORK = (random: Random) => inNetwork(random, '2001:db8:66:1::')
const MANY_NETWORKS = (random: Random) =>
  inNetwork(random, `2001:db8:66:${Math.floor(random() * 0xffff).toString(16)}::`)

const scripted = (options: Script) => (random: Random) => script(random, options)
/** In a voting of 300 homes, so that there are others to compare with. */
const besideHomes = (options: Script) => (random: Random) => [...homes(random), ...script(random, options)]

export const PEOPLE: Scenario[] = [
  {
    name: 'school class: 30 phones, one address, 10 minutes, 15 % without cookies',
    ballots: group(30, 10 * MINUTE, { address: '203.0.113.1', withoutCookies: 0.15 }),
  },
  { name: 'festival: 6,000 people, 4 carrier addresses, 6 hours, 3 % without cookies', ballots: festival },
  {
    name: 'hall: 200 people in one /64, 20 minutes, 5 % without cookies',
    ballots: (random) =>
      group(200, 20 * MINUTE, { address: '', withoutCookies: 0.05 })(random).map((ballot) => ({
        ...ballot,
        address: inNetwork(random, '2001:db8:55:1::'),
      })),
  },
  {
    name: 'countdown: 60 phones, one address, 15 seconds, 5 % without cookies',
    ballots: group(60, 15, { address: '203.0.113.2', withoutCookies: 0.05 }),
  },
  { name: 'homes: 300, each a /64 with 1 to 4 people, 5 % without cookies', ballots: homes },
  {
    name: 'school: 120 tablets that all keep no cookies, one address, 2 hours',
    ballots: group(120, 2 * HOUR, { address: '203.0.113.3', withoutCookies: 1 }),
  },
  {
    name: 'favourite of all: 120 at a school, one address, and 300 homes, 9 of 10 for one photo only',
    ballots: (random) => {
      const favourite = { photo: 3, share: 0.9 }
      const school = group(120, 2 * HOUR, { address: '203.0.113.4', withoutCookies: 0.05, favourite })
      return [...school(random), ...homes(random, favourite)]
    },
  },
  {
    name: 'club: 60 on one Wi-Fi, an hour, 95 % for the photo of their member only, beside 300 homes',
    ballots: (random) => {
      const favourite = { photo: RIGGED, share: 0.95 }
      const club = group(60, HOUR, { address: '203.0.113.5', withoutCookies: 0.05, favourite })
      return [...club(random), ...homes(random)]
    },
  },
]

export const SCRIPTS: Scenario[] = [
  {
    name: 'fast, without the page: 290 in 80 s',
    ballots: scripted({ ballots: 290, pause: [0.2, 0.35], address: ONE_ADDRESS, token: 'none' }),
  },
  {
    name: 'fast, without the page, over a /64: 1,206 in a second',
    ballots: scripted({ ballots: 1_206, pause: [0, 0.0016], address: ONE_NETWORK, token: 'none' }),
  },
  {
    name: 'patient, without the page: one in 5 minutes, 24 hours',
    ballots: scripted({ ballots: 288, pause: [3 * MINUTE, 7 * MINUTE], address: ONE_ADDRESS, token: 'none' }),
  },
  {
    name: 'a page for each ballot: 1,000 in 100 s',
    ballots: scripted({ ballots: 1_000, pause: [0.05, 0.15], address: ONE_ADDRESS, token: 'new' }),
  },
  {
    name: 'a page for each ballot, over a /64: one in 10 s, 2 hours',
    ballots: scripted({ ballots: 720, pause: [5, 15], address: ONE_NETWORK, token: 'new' }),
  },
  {
    name: 'a page for each ballot, patient: one in 40 s, 6 hours, beside 300 homes',
    ballots: besideHomes({ ballots: 540, pause: [20, 60], address: ONE_ADDRESS, token: 'new' }),
  },
  {
    name: 'a page for each ballot, each from another /64 of a /48: one in 40 s, 6 hours, beside 300 homes',
    ballots: besideHomes({ ballots: 540, pause: [20, 60], address: MANY_NETWORKS, token: 'new' }),
  },
  {
    name: 'the same from one address, hidden among 200 for other photos without the page',
    ballots: (random) => [
      ...besideHomes({ ballots: 540, pause: [20, 60], address: ONE_ADDRESS, token: 'new' })(random),
      ...script(random, { ballots: 200, pause: [20, 60], address: ONE_ADDRESS, token: 'none' }).map((ballot) => ({
        ...ballot,
        choices: [popularPhoto(random)],
      })),
    ],
  },
  {
    name: 'a page for each ballot, very patient: one in 40 minutes, 24 hours, beside 300 homes',
    ballots: besideHomes({ ballots: 36, pause: [30 * MINUTE, 50 * MINUTE], address: ONE_ADDRESS, token: 'new' }),
  },
  {
    name: 'one page, then without its cookie: 39 in an hour, beside 300 homes',
    ballots: besideHomes({ ballots: 39, pause: [60, 120], address: ONE_ADDRESS, token: 'none' }),
  },
  {
    name: 'one page for all ballots: one in 20 s, an hour',
    ballots: scripted({ ballots: 180, pause: [10, 30], address: ONE_ADDRESS, token: 'same' }),
  },
  {
    name: 'without the page, each from another /64: 500 in 80 s',
    ballots: scripted({ ballots: 500, pause: [0.1, 0.22], address: MANY_NETWORKS, token: 'none' }),
  },
  {
    name: 'at the festival, on one of its addresses, without the page: 290 in 80 s',
    ballots: (random) => [
      ...festival(random),
      ...script(random, { ballots: 290, pause: [0.2, 0.35], address: () => FESTIVAL_CARRIER(0), token: 'none' }),
    ],
  },
  {
    name: 'the same, hidden among its people: one in 3 minutes, 5 hours',
    ballots: (random) => [
      ...festival(random),
      ...script(random, {
        ballots: 100,
        pause: [2 * MINUTE, 4 * MINUTE],
        address: () => FESTIVAL_CARRIER(0),
        token: 'none',
      }),
    ],
  },
]
