import { type Attack, judge, type Outcome } from './attack.ts'
import { type Client, jsonOf } from './client.ts'
import type { Target } from './target.ts'

const signIn = (client: Client, username: string, password: string) =>
  client.send('POST', '/api/login', { json: { username, password } })

/** Strangers guess while the owner comes back on a device that is known. */
async function lockOut(target: Target): Promise<Outcome> {
  const { expect, seen } = judge()
  const { username, password, client: device } = await target.register()
  await device.send('POST', '/api/logout')
  const first = await signIn(device, username, password)
  expect(first.status === 200, `before the guesses a sign-in returned ${first.status}`)
  await device.send('POST', '/api/logout')
  const guessers = Array.from({ length: 6 }, () => target.openClient())
  const guesses: number[] = []
  for (let round = 0; round < 6; round += 1) {
    const responses = await Promise.all(guessers.map((client) => signIn(client, username, `a wrong guess ${round}`)))
    guesses.push(...responses.map(({ status }) => status))
  }
  const known = await signIn(device, username, password)
  expect(guesses.includes(429), 'nobody was ever limited')
  expect(known.status === 200, `on a device that signed in before the owner got ${known.status}`)
  const guessed = await signIn(guessers[0] as Client, username, password)
  expect(guessed.status === 429, `a guesser who then knows the password got ${guessed.status}`)
  return seen(
    `${guesses.length} wrong guesses from ${guessers.length} addresses, then the owner signed in: ${known.status}`,
  )
}

/** The cookie of a known device gives nobody else's account more guesses. */
async function guessOnKnownDevice(target: Target): Promise<Outcome> {
  const { expect, seen } = judge()
  const own = await target.register()
  const victim = await target.register()
  await own.client.send('POST', '/api/logout')
  await signIn(own.client, own.username, own.password)
  const statuses: number[] = []
  for (let guess = 0; guess < 30; guess += 1) {
    statuses.push((await signIn(own.client, victim.username, `a wrong guess ${guess}`)).status)
  }
  const verified = statuses.filter((status) => status === 401).length
  expect(verified <= 10, `${verified} guesses at another's account were verified in a row`)
  return seen(`${statuses.length} guesses at another's account on a device of one's own: ${verified} verified`)
}

const HIDDEN = [
  '\u200b',
  '\u200d',
  '\ufe0f',
  '\u{e0100}',
  '\u3164',
  '\u115f',
  '\uffa0',
  '\u00ad',
  '\u2060',
  '\u034f',
  '\u{e0061}',
  '\u180e',
  '\u202e',
  '\u2800',
]

/** Names that look like one that exists. */
async function registerLookAlikes(target: Target): Promise<Outcome> {
  const { expect, seen } = judge()
  const { username } = await target.register(`pilot${target.marker.slice(4)}`)
  const wide = username.replace(/[a-z]/g, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0))
  const names = [
    ...HIDDEN.map((character) => `${username.slice(0, 3)}${character}${username.slice(3)}`),
    ...HIDDEN.slice(0, 5).map((character) => username + character),
    ` ${username} `,
    username.toUpperCase(),
    wide,
  ]
  const made: string[] = []
  for (const name of names) {
    const json = { username: name, password: 'a second long password', confirmPassword: 'a second long password' }
    const { status, text } = await target.openClient().send('POST', '/api/register', { json })
    if (status === 201) made.push(escapeAll(name))
    else expect(status === 400 || status === 409, `the name ${escapeAll(name)} returned ${status}: ${text}`)
  }
  expect(made.length === 0, `there are now accounts ${made.join(', ')} beside ${username}`)
  return seen(`${names.length} look-alikes of a name: ${names.length - made.length} rejected`)
}

const escapeAll = (text: string) =>
  text.replaceAll(/[^ -~]/gu, (character) => `U+${character.codePointAt(0)?.toString(16).toUpperCase()} `)

/** Of an account. */
const MAX_SESSIONS = 100

/** One account signs in without end. */
async function floodSessions(target: Target): Promise<Outcome> {
  const { expect, seen } = judge()
  const { username, password, client } = await target.register()
  const signIns = MAX_SESSIONS + 30
  const statuses: number[] = []
  for (let number = 0; number < signIns; number += 5) {
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => signIn(target.openClient(), username, password)),
    )
    statuses.push(...responses.map(({ status }) => status))
  }
  const last = target.openClient()
  await signIn(last, username, password)
  const sessions = jsonOf<unknown[]>(await last.send('GET', '/api/user/sessions'))
  const accepted = statuses.filter((status) => status === 200).length
  // Otherwise the attack was not made.
  expect(accepted > MAX_SESSIONS, `only ${accepted} of ${signIns} sign-ins were accepted: ${[...new Set(statuses)]}`)
  expect(sessions.length <= MAX_SESSIONS, `the account has ${sessions.length} sessions`)
  const oldest = await client.send('GET', '/api/user')
  expect(oldest.status === 401, `the oldest session still works beside ${sessions.length}`)
  return seen(`${accepted} of ${signIns} sign-ins accepted, ${sessions.length} sessions, the oldest: ${oldest.status}`)
}

/** Whether a name exists cannot be read from how long a response takes. */
async function timeSignIns(target: Target): Promise<Outcome> {
  const { expect, seen } = judge()
  const users = await Promise.all(Array.from({ length: 4 }, () => target.register()))
  const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] }
  const texts = new Set<string>()
  for (let round = 0; round < 7; round += 1) {
    for (const { username } of users) {
      for (const kind of ['known', 'unknown'] as const) {
        const name = kind === 'known' ? username : `${username.slice(0, -1)}-`
        const response = await signIn(target.openClient(), name, 'a wrong password')
        if (response.status !== 401) continue
        times[kind].push(response.milliseconds)
        texts.add(response.text.replace(/"requestId":"[^"]*"/, ''))
      }
    }
  }
  const [known, unknown] = [median(times.known), median(times.unknown)]
  expect(texts.size === 1, `the responses differ: ${[...texts]}`)
  // Without the verification of a password one of them would take a few milliseconds.
  const differ = Math.max(known, unknown) / Math.min(known, unknown)
  expect(differ < 1.5 || Math.abs(known - unknown) < 10, `medians: ${known.toFixed(1)} and ${unknown.toFixed(1)} ms`)
  return seen(
    `medians of ${times.known.length}: ${known.toFixed(1)} ms for names that exist, ${unknown.toFixed(1)} ms for others`,
  )
}

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** Sessions end, cookies have their attributes, and nobody chooses a session for somebody else. */
async function keepSessions(target: Target): Promise<Outcome> {
  const { expect, seen } = judge()
  const { username, password, client } = await target.register()
  const fixed = target.openClient()
  fixed.cookies.set('sid', 'A'.repeat(43))
  const signedIn = await signIn(fixed, username, password)
  const cookie = signedIn.headers['set-cookie']?.find((line) => line.startsWith('sid=')) ?? ''
  for (const attribute of ['HttpOnly', 'SameSite=Lax', 'Path=/'])
    expect(cookie.includes(attribute), `the session's cookie lacks ${attribute}`)
  if (target.endpoint.origin.startsWith('https:'))
    expect(cookie.includes('Secure'), "the session's cookie lacks Secure")
  expect(!cookie.includes('A'.repeat(43)), 'a session that the client chose was adopted')
  const stolen = target.openClient()
  stolen.cookies.set('sid', fixed.cookies.get('sid') ?? '')
  expect((await stolen.send('GET', '/api/user')).status === 200, 'the copied session did not work before')
  await fixed.send('POST', '/api/logout')
  expect((await stolen.send('GET', '/api/user')).status === 401, 'a session works after its end')
  const second = target.openClient()
  await signIn(second, username, password)
  const newPassword = 'another long password 7'
  const json = { currentPassword: password, newPassword, confirmPassword: newPassword }
  const changed = await second.send('POST', '/api/user/password', { json })
  expect(changed.status === 204, `the change of the password returned ${changed.status}`)
  expect(
    (await client.send('GET', '/api/user')).status === 401,
    'a session works after the password was changed elsewhere',
  )
  const back = { currentPassword: newPassword, newPassword: password, confirmPassword: password }
  await second.send('POST', '/api/user/password', { json: back })
  const page = await target.openClient().send('GET', `/api/share/${target.owner.publicFolder.shareCode}`)
  for (const line of page.headers['set-cookie'] ?? [])
    expect(line.includes('HttpOnly') && line.includes('SameSite='), `a script may read ${line.split('=')[0]}`)
  return seen('a chosen, a copied, an ended and a replaced session')
}

/** Who registers or changes itself never becomes an administrator. */
async function promoteOneself(target: Target): Promise<Outcome> {
  const { expect, seen } = judge()
  const client = target.openClient()
  const password = 'a long enough password'
  const json = {
    username: `mallory-${target.marker}`,
    password,
    confirmPassword: password,
    isAdmin: true,
    id: 1,
    quota: null,
  }
  const made = await client.send('POST', '/api/register', { json })
  // Otherwise nobody is there who could become one.
  expect(made.status === 201, `the registration returned ${made.status}: ${made.text}`)
  const changes = [
    // What any user may send: the others are rejected for their fields only.
    '{"firstName":"M"}',
    '{"firstName":"M","isAdmin":true}',
    '{"firstName":"M","__proto__":{"isAdmin":true}}',
    '{"firstName":"M","constructor":{"prototype":{"isAdmin":true}}}',
  ]
  const statuses: number[] = []
  // As text: in an object literal `__proto__` sets the prototype, of which JSON.stringify sends nothing.
  for (const jsonText of changes) statuses.push((await client.send('PUT', '/api/user', { jsonText })).status)
  const wereProcessed = statuses[0] === 200 && statuses.every((status) => status >= 200 && status < 500)
  expect(wereProcessed, `changes of the account returned ${statuses}`)
  const user = await client.send('GET', '/api/user')
  expect(
    user.status === 200 && jsonOf<{ isAdmin: boolean }>(user).isAdmin === false,
    `a user made itself an administrator, or cannot be read: ${user.status}`,
  )
  const users = await client.send('GET', '/api/admin/users')
  expect(users.status === 403, `the list of users returned ${users.status}`)
  return seen(
    `registration with isAdmin: ${made.status}, changes of the account: ${statuses}; the list of users: ${users.status}`,
  )
}

export const ACCOUNT_ATTACKS: Attack[] = [
  {
    name: "strangers' guesses keep no owner out who signed in on the device before",
    threat: 'anybody who knows a name shuts out its owner',
    short: true,
    run: lockOut,
  },
  {
    name: "a known device gives no further guesses at another's account",
    threat: 'the allowance of known devices becomes one of guessers',
    short: true,
    run: guessOnKnownDevice,
  },
  {
    name: 'no account is made whose name looks like one that exists',
    threat: 'a stranger shares and writes under the name of somebody else',
    short: true,
    run: registerLookAlikes,
  },
  {
    name: 'the sessions of an account are bounded, and the oldest end first',
    threat: 'one account fills the memory of Redis',
    run: floodSessions,
  },
  {
    name: 'the time of a sign-in does not tell whether a name exists',
    threat: 'names of users are collected',
    run: timeSignIns,
  },
  {
    name: 'sessions end when they are ended, and no client chooses its own',
    threat: 'a stolen cookie works for ever',
    short: true,
    run: keepSessions,
  },
  {
    name: 'nobody makes itself an administrator',
    threat: 'a registration takes over the installation',
    short: true,
    run: promoteOneself,
  },
]
