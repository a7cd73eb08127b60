import { AppError, isUniqueViolation, siteOf } from '@skyfolio/kit'
import type { Applicant } from '@skyfolio/kit/passwords'
import type { Database, Transaction } from '../database.ts'
import type { AuthDeps } from '../deps.ts'
import { publishUserChanged } from '../events.ts'
import type { Prisma, User } from '../generated/client.ts'
import { requestMail } from '../mail/request-mail.ts'
import type { Credentials, Registration } from './forms.ts'
import { hasLookalike, lockSkeletons, toUsernameKey, usernameSkeletons } from './usernames.ts'
import { type Account, withDeletion } from './users.ts'

type NewUser = Prisma.UserCreateInput & { usernameSkeletons: string[] }

/** @throws 409 when the username is taken or looks like another one, 429 after too many registrations from the address */
export async function register(
  deps: AuthDeps,
  { password, ...fields }: Registration,
  address: string,
): Promise<Account> {
  const { db, passwords, rateLimits, canSendMail, onCommit } = deps
  await rateLimits.registration(address)
  const { username, email } = fields
  const names = { usernameKey: toUsernameKey(username), usernameSkeletons: usernameSkeletons(username) }
  // Before the expensive hash, and again with the new row.
  await rejectTaken(db, names)
  const passwordHash = await passwords.hash(password, { site: siteOf(address), isStranger: true })
  const confirms = canSendMail && email !== null && (await rateLimits.allowsRegistrationMail(email))
  try {
    const user = await db.$transaction((tx) => createUser(tx, { ...fields, ...names, passwordHash }, confirms))
    onCommit()
    return { ...user, deletion: null }
  } catch (error) {
    throw isUniqueViolation(error) ? usernameTaken('Username already exists') : error
  }
}

/** Creates a user with the event and, if `confirms`, the mail that confirms the address. */
async function createUser(tx: Transaction, fields: NewUser, confirms: boolean): Promise<User> {
  await lockSkeletons(tx, fields.usernameSkeletons)
  await rejectTaken(tx, fields)
  const user = await tx.user.create({ data: fields })
  await publishUserChanged(tx, user)
  if (confirms) await requestMail(tx, { kind: 'confirm-email', userId: user.id, address: user.email })
  return user
}

/**
 * `device` is the entry of the account in the cookie of the browser; null: it has not signed in there.
 * @throws 401 with one message for an unknown user and a wrong password, with another one when the password is right and the
 * account disabled or being deleted, 429 after too many failures.
 */
export async function signIn(
  deps: AuthDeps,
  credentials: Credentials,
  { address, device }: { address: string; device: string | null },
): Promise<Account> {
  const attempt = await deps.rateLimits.login(credentials.username, address, device)
  const applicant = { site: siteOf(address), isStranger: !attempt.isKnown }
  const user = await findByCredentials(deps, credentials, applicant).catch(async (error) => {
    await attempt.refund()
    throw error
  })
  if (!user) throw invalidCredentials()
  await attempt.refund()
  const account = await withDeletion(deps.db, user)
  rejectClosed(account)
  return account
}

async function findByCredentials(
  { db, passwords }: AuthDeps,
  { username, password }: Credentials,
  applicant: Applicant,
): Promise<User | null> {
  const user = await db.user.findUnique({ where: { usernameKey: toUsernameKey(username) } })
  const isMatch = await passwords.verify(user?.passwordHash ?? null, password, applicant)
  return isMatch ? user : null
}

/** @throws 401 as for a wrong password when password, rights or deletion of the account have been changed since it was read */
export async function checkUnchanged(db: Database, { id, passwordHash, isAdmin, deletion }: Account): Promise<void> {
  const user = await db.user.findFirst({ where: { id, passwordHash } })
  if (!user) throw invalidCredentials()
  const now = await withDeletion(db, user)
  rejectClosed(now)
  const isDeletionSame = (now.deletion === null) === (deletion === null)
  if (now.isAdmin !== isAdmin || !isDeletionSame) throw invalidCredentials()
}

/** Only who has the password learns that the account is closed. @throws 401 */
function rejectClosed({ disabled, deletion }: Account): void {
  if (disabled) throw new AppError(401, 'account_disabled', 'This account is disabled. Please ask an administrator.')
  if (deletion?.erasingSince) throw new AppError(401, 'account_erasing', 'This account is being deleted.')
}

function invalidCredentials(): AppError {
  return new AppError(401, 'invalid_credentials', 'Invalid username or password')
}

/** @throws 409 when another user has the name, or one that looks the same */
async function rejectTaken(
  db: Pick<Transaction, 'user' | '$queryRaw'>,
  { usernameKey, usernameSkeletons }: Pick<NewUser, 'usernameKey' | 'usernameSkeletons'>,
): Promise<void> {
  const isTaken = await db.user.findUnique({ where: { usernameKey }, select: { id: true } })
  if (isTaken) throw usernameTaken('Username already exists')
  const isAlike = await hasLookalike(db, usernameSkeletons)
  if (isAlike) throw usernameTaken('Username looks like an existing one. Please choose another one.')
}

function usernameTaken(message: string): AppError {
  return new AppError(409, 'username_taken', message, { fields: { username: message } })
}
