import { AppError, isUniqueViolation, unauthenticated } from '@skyfolio/kit'
import type { PrismaClient, User } from '../generated/client.ts'
import type { Throttle } from '../sessions/throttle.ts'
import type { Registration } from './forms.ts'
import type { Passwords } from './passwords.ts'
import { usernameKey } from './usernames.ts'

export interface Accounts {
  /** @throws 409 when the username is taken, 429 when the address has registered too often. */
  register(registration: Registration, address: string): Promise<User>
  /** @throws 401 with one text for an unknown user and a wrong password, 429 after too many failures. */
  signIn(username: string, password: string, address: string): Promise<User>
  /** The user of a session. @throws 401 when there is none any more. */
  get(userId: number): Promise<User>
}

export function createAccounts(prisma: PrismaClient, passwords: Passwords, throttle: Throttle): Accounts {
  async function userWith(username: string, password: string): Promise<User | null> {
    const user = await prisma.user.findUnique({ where: { usernameKey: usernameKey(username) } })
    const fits = await passwords.verify(user?.passwordHash ?? null, password)
    return fits ? user : null
  }

  return {
    async register({ password, ...person }, address) {
      await throttle.registration(address)
      const key = usernameKey(person.username)
      // Asked before the costly hash; the unique index decides between two at once.
      if (await prisma.user.findUnique({ where: { usernameKey: key }, select: { id: true } })) throw usernameTaken()
      const passwordHash = await passwords.hash(password)
      try {
        return await prisma.user.create({ data: { ...person, usernameKey: key, passwordHash } })
      } catch (error) {
        throw isUniqueViolation(error) ? usernameTaken() : error
      }
    },

    async signIn(username, password, address) {
      const attempt = await throttle.login(username, address)
      const user = await userWith(username, password).catch(async (error) => {
        await attempt.forgive()
        throw error
      })
      if (!user) throw new AppError(401, 'invalid_credentials', 'Invalid username or password')
      await attempt.forgive()
      return user
    },

    async get(userId) {
      const user = await prisma.user.findUnique({ where: { id: userId } })
      if (!user) throw unauthenticated()
      return user
    },
  }
}

function usernameTaken(): AppError {
  const message = 'Username already exists'
  return new AppError(409, 'username_taken', message, { fields: { username: message } })
}
