import type { Browser, TestAuth } from './support.ts'

/** Registers an administrator; returns the browser that is signed in. */
export async function registerAdmin(auth: TestAuth, username: string): Promise<Browser> {
  const { userId } = await auth.register(username)
  await auth.db.user.update({ where: { id: userId }, data: { isAdmin: true } })
  return auth.signIn(username)
}
