import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface ServerUser {
  name: string
  uid: number
  gid: number
}

/**
 * The user that PostgreSQL runs as: undefined is the user of this process; root, which it rejects, is replaced. Rather not
 * by nobody, as which other programs of the machine run too.
 */
export async function unprivilegedUser(): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ['postgres', 'daemon', 'nobody']) {
    const uid = await run('id', ['-u', name]).catch(() => null)
    const gid = await run('id', ['-g', name]).catch(() => null)
    if (uid && gid) return { name, uid: Number(uid.stdout), gid: Number(gid.stdout) }
  }
  throw new Error('PostgreSQL does not run as root, and there is no user postgres, daemon or nobody.')
}

/** Makes the user the owner of the folder and all in it; throws when the user cannot reach it. */
export async function giveFolder(user: ServerUser, folder: string): Promise<void> {
  const { uid, gid } = user
  const isOwner = (await stat(folder)).uid === uid
  if (!isOwner) await run('chown', ['-R', `${uid}:${gid}`, folder])
  if (await canReach(user, folder)) return
  throw new Error(
    `PostgreSQL runs as the user ${user.name}, who cannot reach ${folder}: open the folders above it (chmod o+x), or set SKYFOLIO_DATA to a folder elsewhere.`,
  )
}

/** Whether the user may enter the folder or run the program. */
export async function canReach(user: ServerUser, path: string): Promise<boolean> {
  const { uid, gid } = user
  return run('test', ['-x', path], { uid, gid, cwd: '/' }).then(
    () => true,
    () => false,
  )
}
