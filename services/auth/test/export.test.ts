import { sendRequest } from '@skyfolio/kit'
import { exportSources } from '@skyfolio/proto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PASSWORD, startAuth, type TestAuth } from './support.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startAuth()
})
afterAll(() => auth.close())

/** All files of an export by path. */
async function readAll(userId: number): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  let cursor = ''
  do {
    const page = await sendRequest(auth.nats, exportSources.auth, { userId, cursor }, { timeoutMs: 10_000 })
    for (const { path, content } of page.files) {
      expect(path).toMatch(/^account\/[a-z0-9-]+\.json$/)
      expect(files.has(path)).toBe(false)
      files.set(path, Buffer.from(content).toString())
    }
    cursor = page.next
  } while (cursor)
  return files
}

test('has the profile, settings, sessions and mails of the user, and no secret', async () => {
  const pilot = await auth.register('exported', { email: 'pilot@example.com', firstName: 'Ada' })
  await pilot.call('PUT', '/api/user', { displayName: 'Ada L.' })
  const other = await auth.register('another', { email: 'another@example.com' })
  await auth.signIn('exported', PASSWORD, { headers: { 'user-agent': 'Firefox' } })
  const mails = Array.from({ length: 1001 }, () => {
    return { kind: 'order-ready', userId: pilot.userId, address: 'pilot@example.com', data: { secret: 'content' } }
  })
  await auth.db.mail.createMany({ data: mails })
  await auth.db.mail.create({ data: { kind: 'order-ready', userId: other.userId, address: 'another@example.com' } })

  const files = await readAll(pilot.userId)
  expect([...files.keys()].map((path) => path.replace(/mails-\d+/, 'mails-n'))).toEqual([
    'account/profile.json',
    'account/settings.json',
    'account/sessions.json',
    'account/mails.json',
    'account/mails-n.json',
  ])
  const read = (path: string) => JSON.parse(files.get(path) ?? 'null')
  expect(read('account/profile.json')).toMatchObject({
    id: pilot.userId,
    username: 'exported',
    email: 'pilot@example.com',
    firstName: 'Ada',
    displayName: 'Ada L.',
    isAdmin: false,
  })
  expect(read('account/settings.json')).toMatchObject({
    units: 'metric',
    mapLayer: null,
    mapHosts: [],
    emailNotifications: true,
  })
  expect(read('account/sessions.json')).toHaveLength(2)
  expect(read('account/mails.json')).toHaveLength(1000)

  const everything = [...files.values()].join('')
  const { passwordHash } = await auth.db.user.findUniqueOrThrow({ where: { id: pilot.userId } })
  for (const secret of [passwordHash, pilot.session.hash, 'content', 'another'])
    expect(everything).not.toContain(secret)
})

test('has nothing of a user who does not exist', async () => {
  expect(await readAll(999_999)).toEqual(new Map())
})
