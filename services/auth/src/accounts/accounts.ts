import { AppError, isUniqueViolation, unauthenticated } from '@skyfolio/kit'
import type { Database, Transaction } from '../database.ts'
import { publishUserChanged } from '../events.ts'
import type { Prisma, User } from '../generated/client.ts'
import { requestMail } from '../mail/request-mail.ts'
import type { Passwords } from './passwords.ts'
import type { RateLimits } from './rate-limits.ts'
import type { Registration } from './registration.ts'
import { toUsernameKey } from './username-key.ts'

export interface Accounts {
  /** @throws 409 when the username is taken, 429 after too many registrations from the address. */
  register(registration: Registration, address: string): Promise<User>
  /** @throws 401 with one message for an unknown user and a wrong password, 429 after too many failures. */
  signIn(username: string, password: string, address: string): Promise<User>
  /** @throws 401 as for a wrong password when the user's password has been changed since the user was read. */
  checkUnchanged(user: User): Promise<void>
  /** The user of a session. @throws 401 when the user no longer exists. */
  get(userId: number): Promise<User>
}

export interface AccountDeps {
  db: Database
  passwords: Passwords
  rateLimits: RateLimits
  /** Whether a mail server is configured. */
  canSendMail: boolean
  /** Called after a commit with events. */
  onCommit(): void
}

export function createAccounts({ db, passwords, rateLimits, canSendMail, onCommit }: AccountDeps): Accounts {
  async function findByCredentials(username: string, password: string): Promise<User | null> {
    const user = await db.user.findUnique({ where: { usernameKey: toUsernameKey(username) } })
    const isMatch = await passwords.verify(user?.passwordHash ?? null, password)
    return isMatch ? user : null
  }

  /** Creates a user with the event and, if `confirms`, the mail that confirms the address. */
  async function createUser(tx: Transaction, fields: Prisma.UserCreateInput, confirms: boolean): Promise<User> {
    const user = await tx.user.create({ data: { ...fields, revision: 1 } })
    await publishUserChanged(tx, user)
    if (confirms) await requestMail(tx, { kind: 'confirm-email', userId: user.id, address: user.email })
    return user
  }

  return {
    async register({ password, ...fields }, address) {
      await rateLimits.registration(address)
      const usernameKey = toUsernameKey(fields.username)
      // Checked before the expensive hash; of two concurrent registrations the unique index rejects one.
      if (await db.user.findUnique({ where: { usernameKey }, select: { id: true } })) throw usernameTaken()
      const passwordHash = await passwords.hash(password)
      const { email } = fields
      const confirms = canSendMail && email !== null && (await rateLimits.allowsRegistrationMail(email))
      try {
        const user = await db.$transaction((tx) => createUser(tx, { ...fields, usernameKey, passwordHash }, confirms))
        onCommit()
        return user
      } catch (error) {
        throw isUniqueViolation(error) ? usernameTaken() : error
      }
    },

    async signIn(username, password, address) {
      const attempt = await rateLimits.login(username, address)
      const user = await findByCredentials(username, password).catch(async (error) => {
        await attempt.refund()
        throw error
      })
      if (!user) throw invalidCredentials()
      await attempt.refund()
      return user
    },

    async checkUnchanged({ id, passwordHash }) {
      const unchanged = await db.user.findFirst({ where: { id, passwordHash }, select: { id: true } })
      if (!unchanged) throw invalidCredentials()
    },

    async get(userId) {
      const user = await db.user.findUnique({ where: { id: userId } })
      if (!user) throw unauthenticated()
      return user
    },
  }
}

function invalidCredentials(): AppError {
  return new AppError(401, 'invalid_credentials', 'Invalid username or password')
}

function usernameTaken(): AppError {
  const message = 'Username already exists'
  return new AppError(409, 'username_taken', message, { fields: { username: message } })
}
