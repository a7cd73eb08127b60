import { createToken } from '../src/tokens/tokens.ts'
import type { Browser, TestAuth } from './support.ts'

/** Settings under which mail can be requested; without a worker nothing is sent. */
export const MAIL_SETTINGS = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'Skyfolio <no-reply@skyfolio.test>' }
export const NEW_PASSWORD = 'another horse'

export interface Owner extends Browser {
  username: string
  email: string
}

/** A signed-in user with a confirmed address. */
export async function registerConfirmed(auth: TestAuth, username: string): Promise<Owner> {
  const email = `${username}@example.org`
  const browser = await auth.register(username, { email })
  await auth.db.user.update({ where: { id: browser.userId }, data: { emailConfirmed: true } })
  await auth.db.mail.deleteMany({ where: { userId: browser.userId } })
  return { ...browser, username, email }
}

/** The token of a link that the worker sends when somebody requests a reset for this address. */
export async function requestResetToken(auth: TestAuth, { userId, email }: Owner): Promise<string> {
  await auth.post('/api/password-reset', { email })
  const mail = await auth.db.mail.findFirstOrThrow({
    where: { kind: 'reset-password', address: email },
    orderBy: { seq: 'desc' },
  })
  const request = { purpose: 'reset-password', userId, address: email, mailId: mail.id } as const
  const token = await auth.db.$transaction((tx) => createToken(tx, request))
  if (!token) throw new Error('the link would be of no use')
  return token
}

export const resetForm = (token: string, password = NEW_PASSWORD) => ({ token, password, confirmPassword: password })

export const changeForm = (currentPassword: string, newPassword = NEW_PASSWORD) => ({
  currentPassword,
  newPassword,
  confirmPassword: newPassword,
})

export async function signInStatus(auth: TestAuth, username: string, password: string): Promise<number> {
  return (await auth.post('/api/login', { username, password })).statusCode
}

/** The hashes of a user's sessions that run. */
export async function runningSessions({ redis }: TestAuth, userId: number): Promise<string[]> {
  const hashes = await redis.smembers(`sessions-of:${userId}`)
  const running = await Promise.all(hashes.map((hash) => redis.exists(`session:${hash}`)))
  return hashes.filter((_, index) => running[index] === 1)
}

export const isRunning = async (auth: TestAuth, { session }: Browser) =>
  (await auth.redis.exists(`session:${session.hash}`)) === 1
