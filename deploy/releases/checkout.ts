import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, rm, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../local/paths.ts'

const run = promisify(execFile)

/** What git prints, without the last line's end. */
export async function git(...args: string[]): Promise<string> {
  return (await run('git', args, { cwd: root })).stdout.trim()
}

/**
 * The release before this checkout: its newest tag `v1.2.3` that this commit does not carry itself; while there is none,
 * the commit that deploy/releases/previous names.
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
  return released ?? (await readFile(join(root, 'deploy/releases/previous'), 'utf8')).trim()
}

/** Makes `folder` a work tree of the commit, with its dependencies and what is made from its code at hand. */
export async function checkOut(ref: string, folder: string, signal: AbortSignal): Promise<void> {
  await git('worktree', 'add', '--detach', '--force', folder, ref)
  const [ours, theirs] = await Promise.all([root, folder].map((at) => readFile(join(at, 'package-lock.json'), 'utf8')))
  if (ours === theirs) await linkPackages(folder)
  else await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder, maxBuffer: 1e8, signal })
  await takeMade(folder)
}

export async function removeCheckout(folder: string): Promise<void> {
  // What was broken off may still be writing.
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  await git('worktree', 'prune')
}

/** The same lock file means the same packages: this checkout's stand for them, the workspaces' own come from the folder. */
async function linkPackages(folder: string): Promise<void> {
  for (const workspace of ['', 'web']) {
    const [from, to] = [join(root, workspace, 'node_modules'), join(folder, workspace, 'node_modules')]
    await mkdir(to)
    const names = await readdir(from)
    const wanted = names.filter((name) => name !== '@skyfolio' && (!name.startsWith('.') || name === '.bin'))
    for (const name of wanted) await symlink(join(from, name), join(to, name))
  }
  // These are links to the workspaces, relative to where they lie.
  const own = 'node_modules/@skyfolio'
  await cp(join(root, own), join(folder, own), { recursive: true, verbatimSymlinks: true })
}

/** What prepare.ts made here, with its stamps: it makes again in the folder what differs there. */
async function takeMade(folder: string): Promise<void> {
  const services = await readdir(join(root, 'services'))
  const made = services.flatMap((name) => [`services/${name}/src/generated`, `services/${name}/data`])
  for (const path of ['node_modules/.skyfolio-stamps', ...made]) {
    const isThere = await stat(join(root, path)).catch(() => null)
    if (isThere) await cp(join(root, path), join(folder, path), { recursive: true })
  }
}
