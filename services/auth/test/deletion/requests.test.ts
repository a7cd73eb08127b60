import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { MAIL_SETTINGS, registerConfirmed, runningSessions } from '../password-support.ts'
import { type Browser, PASSWORD, startAuth, type TestAuth } from '../support.ts'
import { deleteOwn, deletionOf, published, registerAdmin, registerDeleting, turnClock } from './support.ts'

const DAY_MS = 24 * 3600 * 1000

let auth: TestAuth
let chief: Browser
beforeAll(async () => {
  auth = await startAuth({ settings: MAIL_SETTINGS })
  chief = await registerAdmin(auth, 'chief')
})
afterAll(() => auth.close())

const login = (username: string) => auth.post('/api/login', { username, password: PASSWORD })
const mailsOf = (userId: number) => auth.db.mail.findMany({ where: { userId }, orderBy: { seq: 'asc' } })
const audited = (ownerId: number) => auth.db.auditEntry.findMany({ where: { ownerId }, orderBy: { seq: 'asc' } })
const remove = (admin: Browser, id: number) => admin.call('DELETE', `/api/admin/users/${id}`)
const restore = (admin: Browser, id: number) => admin.call('POST', `/api/admin/users/${id}/restore`)

describe('the own account', () => {
  test('is deleted by its password: signed out everywhere, suspended, with a mail to the confirmed address', async () => {
    const owner = await registerConfirmed(auth, 'amelia')
    await auth.signIn('amelia')
    const before = Date.now()
    const response = await deleteOwn(owner)
    expect(response.statusCode).toBe(202)
    const { deletesAt } = response.json()
    expect(Date.parse(deletesAt) - before).toBeGreaterThan(6.9 * DAY_MS)
    expect(Date.parse(deletesAt) - before).toBeLessThan(7.1 * DAY_MS)
    expect(response.headers['set-cookie']).toMatch(/^sid=;/)
    expect(await runningSessions(auth, owner.userId)).toEqual([])
    expect(await published(auth, owner.userId)).toEqual({ suspended: true, revision: 2, deletions: 0 })
    expect(await mailsOf(owner.userId)).toMatchObject([
      { kind: 'deletion-scheduled', address: owner.email, data: { deletesAt, byAdmin: false } },
    ])
    expect(await audited(owner.userId)).toEqual([])
  })

  test.each([
    ['wrong', 'a guess', 'Incorrect password'],
    ['missing', '', 'Password is required'],
  ])('is not deleted when the password is %s', async (what, password, message) => {
    const owner = await auth.register(`careful-${what}`)
    const response = await deleteOwn(owner, password)
    expect([response.statusCode, response.json().fields]).toEqual([400, { password: message }])
    expect(await deletionOf(auth, owner.userId)).toBeNull()
    expect((await owner.call('GET', '/api/user')).statusCode).toBe(200)
  })

  test('cannot be tried with many passwords', async () => {
    const owner = await auth.register('guessed')
    for (let count = 0; count < 10; count += 1) await deleteOwn(owner, `guess ${count}`)
    expect((await deleteOwn(owner)).statusCode).toBe(429)
  })

  test('can be signed in to until then, in a session that says so, and be restored', async () => {
    const { userId } = await registerDeleting(auth, 'bessie')
    const signedIn = await login('bessie')
    expect(signedIn.json()).toMatchObject({ canRestore: true, deletesAt: expect.stringMatching(/^20/) })
    const browser = await auth.signedIn(signedIn.headers['set-cookie'])
    const other = await auth.signIn('bessie')
    expect(browser.session.isDeleting).toBe(true)
    const restored = await browser.call('POST', '/api/user/restore')
    expect(restored.statusCode).toBe(204)
    const next = await auth.signedIn(restored.headers['set-cookie'])
    expect(next.session).toMatchObject({ isDeleting: false, persistent: true })
    expect(await runningSessions(auth, userId)).toEqual([next.session.hash])
    expect((await other.call('GET', '/api/user')).statusCode).toBe(401)
    expect((await next.call('GET', '/api/user')).json()).toMatchObject({ deletesAt: null, canRestore: false })
    expect(await published(auth, userId)).toEqual({ suspended: false, revision: 3, deletions: 0 })
    expect((await mailsOf(userId)).map(({ kind }) => kind)).toEqual(['deletion-scheduled', 'deletion-revoked'])
    expect((await next.call('POST', '/api/user/restore')).statusCode).toBe(204)
  })

  test('is not restored by its user when an administrator requested the deletion too', async () => {
    const { userId } = await registerDeleting(auth, 'carl')
    const scheduled = await deletionOf(auth, userId)
    expect((await remove(chief, userId)).json()).toEqual({ deletesAt: scheduled?.deletesAt.toISOString() })
    const browser = await auth.signIn('carl')
    expect((await browser.call('GET', '/api/user')).json()).toMatchObject({ canRestore: false })
    const refused = await browser.call('POST', '/api/user/restore')
    expect([refused.statusCode, refused.json().code]).toEqual([403, 'deleted_by_administrator'])
    expect(await runningSessions(auth, userId)).toEqual([browser.session.hash])
    expect((await audited(userId)).map(({ action, actorId }) => [action, actorId])).toEqual([
      ['user.deletion-requested', chief.userId],
    ])
  })

  test('is not restored once it is being erased', async () => {
    const { userId } = await registerDeleting(auth, 'dora')
    const browser = await auth.signIn('dora')
    await auth.db.accountDeletion.update({ where: { userId }, data: { erasingSince: new Date() } })
    const refused = await browser.call('POST', '/api/user/restore')
    expect([refused.statusCode, refused.json().code]).toEqual([409, 'account_erasing'])
    expect((await browser.call('GET', '/api/user')).json().canRestore).toBe(false)
    expect((await restore(chief, userId)).json().code).toBe('account_erasing')
  })

  test('is deleted once by concurrent requests', async () => {
    const owner = await auth.register('eager')
    const responses = await Promise.all([1, 2, 3].map(() => deleteOwn(owner)))
    const bodies = responses.filter(({ statusCode }) => statusCode === 202).map(({ body }) => body)
    expect(new Set(bodies).size).toBe(1)
    expect(await published(auth, owner.userId)).toMatchObject({ revision: 2 })
  })
})

describe('an administrator', () => {
  test('deletes an account and restores it, both in the audit log, as often as asked', async () => {
    const owner = await registerConfirmed(auth, 'frank')
    const first = await remove(chief, owner.userId)
    expect(first.statusCode).toBe(202)
    expect((await remove(chief, owner.userId)).json()).toEqual(first.json())
    expect((await owner.call('GET', '/api/user')).statusCode).toBe(401)
    expect((await mailsOf(owner.userId))[0]).toMatchObject({ data: { byAdmin: true } })
    expect((await restore(chief, owner.userId)).statusCode).toBe(204)
    expect((await restore(chief, owner.userId)).statusCode).toBe(204)
    expect((await login('frank')).json()).toMatchObject({ deletesAt: null })
    expect((await audited(owner.userId)).map(({ action }) => action)).toEqual([
      'user.deletion-requested',
      'user.deletion-revoked',
    ])
  })

  test('gets 404 for users who do not exist', async () => {
    expect([(await remove(chief, 999_999)).statusCode, (await restore(chief, 999_999)).statusCode]).toEqual([404, 404])
  })

  test('is rejected when the right was lost since the session began', async () => {
    const former = await registerAdmin(auth, 'former')
    const { userId } = await auth.register('victim')
    await auth.db.user.update({ where: { id: former.userId }, data: { isAdmin: false } })
    expect((await remove(former, userId)).statusCode).toBe(403)
    expect(await deletionOf(auth, userId)).toBeNull()
  })

  test('sees what is requested and erased, newest first, with what each service waits for', async () => {
    const { userId } = await registerDeleting(auth, 'grace')
    await turnClock(auth, userId)
    await auth.db.accountDeletion.update({ where: { userId }, data: { erasingSince: new Date() } })
    const waitsFor = 'An order whose outcome is unknown must be resolved first.'
    await auth.db.serviceErasure.create({
      data: { userId, service: 'print-orders', complete: false, waitsFor, revision: 1 },
    })
    const next = await registerDeleting(auth, 'henry')
    const listed = (await chief.call('GET', '/api/admin/deletions')).json()
    expect(listed.slice(0, 2)).toMatchObject([
      { userId: next.userId, username: 'henry', status: 'requested', byAdmin: false, erasingSince: null },
      {
        userId,
        username: 'grace',
        status: 'erasing',
        services: [
          { service: 'folders', complete: false, waitsFor: '', changedAt: null },
          { service: 'media', complete: false },
          { service: 'print-orders', complete: false, waitsFor, changedAt: expect.any(String) },
        ],
      },
    ])
    await auth.db.accountDeletion.update({ where: { userId }, data: { erasedAt: new Date() } })
    const ids = (await chief.call('GET', '/api/admin/deletions')).json().map((row: { userId: number }) => row.userId)
    expect(ids).not.toContain(userId)
  })
})

describe('the last administrator', () => {
  let alone: TestAuth
  beforeEach(async () => {
    alone = await startAuth()
    return () => alone.close()
  })

  test('cannot be deleted, by nobody', async () => {
    const boss = await registerAdmin(alone, 'boss')
    for (const response of [await deleteOwn(boss), await remove(boss, boss.userId)])
      expect([response.statusCode, response.json().code]).toEqual([409, 'last_administrator'])
  })

  test('stays when two administrators delete each other or themselves at the same time', async () => {
    const [one, two] = [await registerAdmin(alone, 'one'), await registerAdmin(alone, 'two')]
    const statuses = (
      await Promise.all([remove(one, two.userId), remove(two, one.userId), deleteOwn(one), deleteOwn(two)])
    ).map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 202).length).toBeGreaterThan(0)
    expect(await alone.db.accountDeletion.count()).toBe(1)
  })
})

test('the deletion is due at once with 0 days, and no mail says how to take it back', async () => {
  const quick = await startAuth({ settings: { ...MAIL_SETTINGS, ACCOUNT_DELETION_DAYS: '0' } })
  const owner = await registerConfirmed(quick, 'hasty')
  const { deletesAt } = (await deleteOwn(owner)).json()
  expect(Date.parse(deletesAt)).toBeLessThanOrEqual(Date.now())
  expect(await quick.db.mail.count({ where: { userId: owner.userId } })).toBe(0)
  await quick.close()
})
