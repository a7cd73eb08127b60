import { mkdir, open, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'

/** What users other than root can still write. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** Creates missing folders and syncs their directory entries. */
export async function makeFolders(root: string, folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true })
  if (!first) return
  for (let made = folder; made !== root; made = dirname(made)) await syncFolder(dirname(made))
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}

export async function statFile(path: string) {
  const found = await orMissing(stat(path))
  return found?.isFile() ? found : null
}

/** Null instead of the error of a missing file or folder. */
export async function orMissing<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw error
  }
}
