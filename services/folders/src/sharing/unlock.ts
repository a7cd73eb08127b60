import { AppError, createFairQueue, notFound, siteOf, tooManyRequests } from '@skyfolio/kit'
import type { Passwords } from '@skyfolio/kit/passwords'
import type { Pool } from 'pg'
import type { VoterIdentity } from '../voting/voter-identity.ts'
import { SHARE_CODE } from './share-pages.ts'

export interface UnlockDeps {
  pool: Pool
  passwords: Passwords
  voterIdentity: Pick<VoterIdentity, 'hash'>
}

const MAX_WRONG = 10
const TOO_MANY = 'Too many wrong passwords. Please try again in a minute.'

/** Of one site, for one link, one at a time: a class that enters the right password together is not counted as guessing. */
const turns = createFairQueue({ perKey: 1, maxWaitingPerKey: 100 })

const LINK = `
SELECT link.id, folder_id AS "folderId", password_hash AS "passwordHash", password_revision AS "passwordRevision"
FROM open_links AS link JOIN folders ON folders.id = link.folder_id
WHERE code = $1 AND is_public AND NOT owner_suspended`
const COUNT = `
INSERT INTO unlock_attempts AS known (link_id, site, since, count) VALUES ($1, $2, now(), 1)
ON CONFLICT (link_id, site) DO UPDATE SET
  count = CASE WHEN known.since > now() - interval '1 minute' THEN known.count + 1 ELSE 1 END,
  since = CASE WHEN known.since > now() - interval '1 minute' THEN known.since ELSE now() END
RETURNING count, ceil(extract(epoch FROM since + interval '1 minute' - now()))::integer AS seconds`
const REFUND = 'UPDATE unlock_attempts SET count = count - 1 WHERE link_id = $1 AND site = $2'
const FORGET = `DELETE FROM unlock_attempts WHERE since < now() - interval '1 hour'`

/**
 * Checks the password of a link. Returns the link and the revision of its password, or null if it has none.
 * Throws 404 for an unknown link, 403 for a wrong password, 429 after ten wrong ones of a site within a minute.
 */
export async function unlock(
  deps: UnlockDeps,
  { shareCode, password, address }: { shareCode: string; password: string; address: string },
): Promise<[linkId: number, passwordRevision: number] | null> {
  if (!SHARE_CODE.test(shareCode)) throw notFound('Folder not found')
  const { rows } = await deps.pool.query({ name: 'unlock-link', text: LINK, values: [shareCode] })
  const [link] = rows
  if (!link) throw notFound('Folder not found')
  if (link.passwordHash === null) return null
  const site = siteOf(address)
  return turns.run({ key: `${link.id} ${site}` }, () => enterPassword(deps, { ...link, site, password }))
}

interface Attempt {
  id: number
  folderId: number
  passwordHash: string
  passwordRevision: number
  site: string
  password: string
}

async function enterPassword(
  { pool, passwords, voterIdentity }: UnlockDeps,
  { id, folderId, passwordHash, passwordRevision, site, password }: Attempt,
): Promise<[linkId: number, passwordRevision: number]> {
  const attempt = [id, voterIdentity.hash('site', folderId, site)]
  await pool.query({ name: 'forget-unlock-attempts', text: FORGET })
  // Counted before the password is checked: requests that arrive together must not all pass.
  const { rows: counted } = await pool.query({ name: 'unlock-attempt', text: COUNT, values: attempt })
  const [{ count, seconds }] = counted
  if (count > MAX_WRONG) throw tooManyRequests(TOO_MANY, seconds, 'unlock-attempts-of-site')
  const refund = () => pool.query({ name: 'unlock-refund', text: REFUND, values: attempt })
  // That the queue of passwords is full is no wrong one.
  const isRight = await passwords.verify(passwordHash, password, { site, isStranger: true }).catch(async (error) => {
    await refund()
    throw error
  })
  if (!isRight) throw new AppError(403, 'wrong_password', 'That password is not right.')
  await refund()
  return [id, passwordRevision]
}
