import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, rm, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../local/paths.ts'

const run = promisify(execFile)

/** The output of git without the last newline. */
export async function git(...args: string[]): Promise<string> {
  return (await run('git', args, { cwd: root })).stdout.trim()
}

/**
 * The release before this checkout: its newest tag `v1.2.3` that this commit does not carry itself; while there is none,
 * the commit that deploy/releases/previous-commit names.
 */
export async function previousRelease(): Promise<string> {
  const tags = await git(
    'tag',
    '--list',
    'v[0-9]*',
    '--sort=-version:refname',
    '--merged',
    'HEAD',
    '--no-contains',
    'HEAD',
  )
  const released = tags.split('\n').find((tag) => /^v\d+\.\d+\.\d+$/.test(tag))
  return released ?? (await readFile(join(root, 'deploy/releases/previous-commit'), 'utf8')).trim()
}

/** Makes `folder` a work tree of the commit, with its packages and generated files. */
export async function checkOut(ref: string, folder: string, signal: AbortSignal): Promise<void> {
  await git('worktree', 'add', '--detach', '--force', folder, ref)
  const [ownLock, otherLock] = await Promise.all(
    [root, folder].map((at) => readFile(join(at, 'package-lock.json'), 'utf8')),
  )
  if (ownLock === otherLock) await linkPackages(folder)
  else await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder, maxBuffer: 1e8, signal })
  await copyGenerated(folder)
}

export async function removeCheckout(folder: string): Promise<void> {
  // An interrupted process may still be writing.
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  await git('worktree', 'prune')
}

/** With the same lock file the packages are the same: they are linked, except for the workspaces, which the folder has. */
async function linkPackages(folder: string): Promise<void> {
  for (const workspace of ['', 'web']) {
    const [from, to] = [join(root, workspace, 'node_modules'), join(folder, workspace, 'node_modules')]
    await mkdir(to)
    const names = await readdir(from)
    const linked = names.filter((name) => name !== '@skyfolio' && (!name.startsWith('.') || name === '.bin'))
    for (const name of linked) await symlink(join(from, name), join(to, name))
  }
  // Links to the workspaces, relative to their own path.
  const own = 'node_modules/@skyfolio'
  await cp(join(root, own), join(folder, own), { recursive: true, verbatimSymlinks: true })
}

/** Copies what prepare.ts built here, with its stamps: in the folder it rebuilds what differs there. */
async function copyGenerated(folder: string): Promise<void> {
  const services = await readdir(join(root, 'services'))
  const generated = services.flatMap((name) => [`services/${name}/src/generated`, `services/${name}/data`])
  for (const path of ['node_modules/.skyfolio-stamps', ...generated]) {
    const found = await stat(join(root, path)).catch(() => null)
    if (found) await cp(join(root, path), join(folder, path), { recursive: true })
  }
}
