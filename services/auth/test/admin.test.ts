import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { onHint } from '@skyfolio/kit'
import { hints } from '@skyfolio/proto'
import { waitFor } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asOperator, auditOf } from './administration/support.ts'
import { form, PASSWORD, startAuth, type TestAuth } from './support.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startAuth()
})
afterAll(() => auth.close())

const file = fileURLToPath(new URL('../src/commands/admin.ts', import.meta.url))

function admin(...args: string[]): Promise<{ stdout: string; stderr: string; code: number }> {
  const env = { ...process.env, ...auth.environment() }
  return promisify(execFile)(process.execPath, [file, ...args], { env }).then(
    (output) => ({ ...output, code: 0 }),
    (error) => error,
  )
}

test('grants administrator rights, also in running sessions', async () => {
  const { headers } = await auth.post('/api/register', form('Boss'))
  const second = await auth.post('/api/login', { username: 'boss', password: PASSWORD })
  const revoked: string[] = []
  onHint(auth.nats, hints.sessionRevoked, ({ sessionHash }) => void revoked.push(sessionHash))
  await auth.nats.flush()

  const { stdout, code } = await admin('grant', 'BOSS')
  expect([code, stdout]).toEqual([0, 'Boss is now an administrator. Running sessions updated: 2.\n'])
  const sessions = await Promise.all([headers, second.headers].map((sent) => auth.sessionOf(sent['set-cookie'])))
  expect(sessions).toEqual([expect.objectContaining({ isAdmin: true }), expect.objectContaining({ isAdmin: true })])
  expect(await auth.redis.ttl(`session:${sessions[0]?.hash}`)).toBeGreaterThan(29 * 24 * 3600)
  await waitFor(() => sessions.every((session) => revoked.includes(session?.hash ?? '')), {
    what: 'the hints for the gateways',
  })
  expect((await auth.post('/api/login', { username: 'boss', password: PASSWORD })).json().isAdmin).toBe(true)
})

test("sets a user's own quota, and takes it away", async () => {
  await auth.post('/api/register', form('Hoarder'))
  const quota = async () => (await auth.db.user.findUniqueOrThrow({ where: { usernameKey: 'hoarder' } })).quota
  const { stdout, code } = await admin('quota', 'hoarder', '5000')
  expect([code, stdout]).toEqual([0, 'The photos of Hoarder may now take 5000 MB.\n'])
  expect(await quota()).toBe(5_242_880_000n)
  const removed = 'Hoarder has no quota of its own any more; the default of the installation holds.\n'
  expect(await admin('quota', 'Hoarder', 'none')).toMatchObject({ code: 0, stdout: removed })
  expect(await quota()).toBeNull()
})

test('revokes and disables, but never the last administrator; the audit log names the operator', async () => {
  const { userId } = await auth.register('Second')
  const last = 'This is the last administrator. Make somebody else an administrator first.\n'
  expect(await admin('revoke', 'boss')).toMatchObject({ code: 1, stdout: last })
  await asOperator(auth, 'second', { isAdmin: true })
  expect(await admin('revoke', 'second')).toMatchObject({ code: 0, stdout: 'Second is no administrator any more.\n' })
  expect(await admin('disable', 'second')).toMatchObject({ code: 0, stdout: 'Second is disabled and logged out.\n' })
  expect((await auth.post('/api/login', { username: 'second', password: PASSWORD })).statusCode).toBe(401)
  await asOperator(auth, 'second', { disabled: false })
  expect((await auth.post('/api/login', { username: 'second', password: PASSWORD })).statusCode).toBe(200)
  const actions = ['user.promoted', 'user.demoted', 'user.disabled', 'user.enabled']
  expect(await auditOf(auth, userId)).toEqual(actions.map((action) => ({ actorId: null, action, detail: '' })))
})

test('rejects an unknown user and wrong arguments with a message', async () => {
  expect(await admin('grant', 'nobody')).toMatchObject({ code: 1, stdout: 'There is no user named nobody.\n' })
  expect(await admin('quota', 'nobody', '1')).toMatchObject({ code: 1, stdout: 'There is no user named nobody.\n' })
  for (const size of ['-1', '1.5', 'all', '']) {
    expect(await admin('quota', 'Boss', size)).toMatchObject({ code: 2, stderr: expect.stringContaining('Usage') })
  }
  expect(await admin('promote', 'Boss')).toMatchObject({ code: 2, stderr: expect.stringContaining('Usage') })
})
