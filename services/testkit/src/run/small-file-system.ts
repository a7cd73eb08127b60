import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { testDirectory } from './temp-directory.ts'

/** A file system of a few megabytes, in memory. */
export interface SmallFileSystem {
  path: string
  close(): void
}

/** Null where this process may not mount one: only root may, and not in every container. */
export function mountSmallFileSystem(megabytes: number): SmallFileSystem | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return null
  const path = mkdtempSync(join(testDirectory(), 'small-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path], { stdio: 'ignore' })
  } catch {
    rmSync(path, { recursive: true })
    return null
  }
  return {
    path,
    close: () => {
      // Also while a server that ends still holds it.
      execFileSync('umount', ['--lazy', path])
      rmSync(path, { recursive: true, force: true })
    },
  }
}
