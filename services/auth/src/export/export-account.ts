import type { MessageInitShape } from '@bufbuild/protobuf'
import type { GetExportRequest, GetExportResponseSchema } from '@skyfolio/proto'
import type { Database } from '../database.ts'
import type { AuthDeps } from '../deps.ts'

type ExportPage = MessageInitShape<typeof GetExportResponseSchema>

const MAILS_AT_ONCE = 1000
const FIRST_MAILS = /^(\d{1,19})$/

/**
 * A page of what auth has of a user, for the user's export: profile, settings and sessions, then the list of mails in parts.
 * It has no secret, no hash of one, and no content of a mail. Nothing for a user who does not exist.
 */
export async function exportAccount(
  { db, sessions }: Pick<AuthDeps, 'db' | 'sessions'>,
  { userId, cursor }: Pick<GetExportRequest, 'userId' | 'cursor'>,
): Promise<ExportPage> {
  const user = await db.user.findUnique({ where: { id: userId } })
  if (!user) return { files: [], next: '' }
  if (cursor !== '') return mailPage(db, userId, cursor)
  const activity = await db.userActivity.findUnique({ where: { userId } })
  const { units, sort, view, mapLayer, mapHosts, publicByDefault, emailNotifications } = user
  const profile = {
    id: user.id,
    username: user.username,
    email: user.email,
    emailConfirmed: user.emailConfirmed,
    formerEmail: user.formerEmail,
    firstName: user.firstName,
    lastName: user.lastName,
    displayName: user.displayName,
    isAdmin: user.isAdmin,
    disabled: user.disabled,
    createdAt: user.createdAt.toISOString(),
    quota: user.quota === null ? null : Number(user.quota),
    lastActiveAt: activity?.lastActiveAt.toISOString() ?? null,
  }
  const running = (await sessions.list(userId)).map(({ persistent, createdAt, userAgent, lastUsedAt }) => {
    return { createdAt, lastUsedAt: lastUsedAt.toISOString(), persistent, userAgent }
  })
  return {
    files: [
      file('account/profile.json', profile),
      file('account/settings.json', {
        ...{ units, sort, view, mapLayer, mapHosts },
        ...{ publicByDefault, emailNotifications },
      }),
      file('account/sessions.json', running),
    ],
    next: '0',
  }
}

/** The mails behind the one with this number; a cursor is the number of a mail. */
async function mailPage(db: Database, userId: number, cursor: string): Promise<ExportPage> {
  const after = BigInt(FIRST_MAILS.exec(cursor)?.[1] ?? 0)
  const mails = await db.mail.findMany({
    where: { userId, seq: { gt: after } },
    orderBy: { seq: 'asc' },
    take: MAILS_AT_ONCE,
    select: { seq: true, kind: true, address: true, status: true, createdAt: true, finishedAt: true },
  })
  if (mails.length === 0 && after > 0n) return { files: [], next: '' }
  const list = mails.map(({ seq: _, createdAt, finishedAt, ...mail }) => {
    return { ...mail, createdAt: createdAt.toISOString(), finishedAt: finishedAt?.toISOString() ?? null }
  })
  const last = mails.at(-1)
  const path = after === 0n ? 'account/mails.json' : `account/mails-${after}.json`
  return { files: [file(path, list)], next: last && mails.length === MAILS_AT_ONCE ? String(last.seq) : '' }
}

function file(path: string, content: object) {
  return { path, content: Buffer.from(`${JSON.stringify(content, null, 2)}\n`) }
}
