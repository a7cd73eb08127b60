import { chmod, chown, lstat, mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { unprivilegedUser } from '@skyfolio/testkit/servers'

/**
 * Takes the folder of the data, and what is in it, from the other users of the machine. What they hold open they keep until
 * it is replaced.
 */
export async function makePrivate(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true })
  await makeReachable(dataDir)
  for (const name of await readdir(dataDir)) await restrict(join(dataDir, name))
}

/** Root's PostgreSQL runs as another user, who must pass through the folder to its own. */
async function makeReachable(dataDir: string): Promise<void> {
  const user = await unprivilegedUser()
  if (user) await chown(dataDir, (await stat(dataDir)).uid, user.gid)
  await chmod(dataDir, user ? 0o710 : 0o700)
}

/** Links, whose targets may be elsewhere, files that are removed meanwhile, and those of other users are left. */
async function restrict(path: string): Promise<void> {
  try {
    const found = await lstat(path)
    if (found.isDirectory()) await chmod(path, 0o700)
    else if (found.isFile()) await chmod(path, 0o600)
  } catch (error) {
    if (!['ENOENT', 'EPERM'].includes(String((error as NodeJS.ErrnoException).code))) throw error
  }
}
