import type { Attack, Expect } from './attack.ts'
import { type Client, jsonOf } from './client.ts'
import type { Target } from './target.ts'

const signIn = (client: Client, username: string, password: string) =>
  client.send('POST', '/api/login', { json: { username, password } })

/** Strangers guess while the owner comes back on a device that is known. */
async function lockOut(target: Target, expect: Expect): Promise<void> {
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
}

/** Sessions end, cookies have their attributes, and nobody chooses a session for somebody else. */
async function keepSessions(target: Target, expect: Expect): Promise<void> {
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
}

/** Who registers or changes itself never becomes an administrator. */
async function promoteOneself(target: Target, expect: Expect): Promise<void> {
  const client = target.openClient()
  const password = 'a long enough password'
  const account = { username: `mallory-${target.marker}`, password, confirmPassword: password }
  const made = await client.send('POST', '/api/register', { json: { ...account, isAdmin: true, id: 1, quota: null } })
  expect(made.status === 201, `the registration returned ${made.status}: ${made.text}`)
  // As text: in an object literal `__proto__` sets the prototype, of which JSON.stringify sends nothing.
  for (const field of [
    '"isAdmin":true',
    '"__proto__":{"isAdmin":true}',
    '"constructor":{"prototype":{"isAdmin":true}}',
  ]) {
    const { status } = await client.send('PUT', '/api/user', { json: `{"firstName":"M",${field}}` })
    expect(status >= 200 && status < 500, `a change of the account with ${field} returned ${status}`)
  }
  const user = await client.send('GET', '/api/user')
  expect(user.status === 200 && jsonOf<{ isAdmin: boolean }>(user).isAdmin === false, `a user became ${user.text}`)
  const users = await client.send('GET', '/api/admin/users')
  expect(users.status === 403, `the list of users returned ${users.status}`)
}

export const ACCOUNT_ATTACKS: Attack[] = [
  { name: "strangers' guesses keep no owner out who signed in on the device before", run: lockOut },
  { name: 'sessions end when they are ended, and no client chooses its own', run: keepSessions },
  { name: 'nobody makes itself an administrator', run: promoteOneself },
]
