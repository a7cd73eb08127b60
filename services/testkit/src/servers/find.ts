import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface Wanted {
  /** Names of the program, the preferred first. */
  programs: string[]
  /** Folders to look in after the PATH. */
  folders?: string[]
  /** Whether this version (major, minor) is accepted. Default: any, also an unknown one. */
  accepts?: (version: number[], program: string) => boolean
}

/** The path of the first program on the PATH (or in `folders`) that is new enough. */
export async function findProgram(wanted: Wanted): Promise<string | null> {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...(wanted.folders ?? [])].filter(Boolean)
  for (const program of wanted.programs) {
    for (const folder of folders) {
      const path = join(folder, program)
      if (!(await isExecutable(path))) continue
      if (!wanted.accepts) return path
      const version = await versionOf(path)
      if (version && wanted.accepts(version, program)) return path
    }
  }
  return null
}

/** The path of a tool that scripts/fetch-tool.sh builds, if the machine or the cache has it. */
export async function findTool(name: string): Promise<string | null> {
  const script = fileURLToPath(new URL('../../scripts/fetch-tool.sh', import.meta.url))
  return run(script, ['--find', name]).then(
    ({ stdout }) => stdout.trim(),
    () => null,
  )
}

/** The version that `<program> --version` prints, as numbers; null without one. */
export async function versionOf(path: string): Promise<number[] | null> {
  const output = await run(path, ['--version'], { timeout: 10_000 }).catch(() => null)
  const match = output?.stdout.match(/(\d+)\.(\d+)/)
  return match ? [Number(match[1]), Number(match[2])] : null
}

export async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}

export function atLeast(version: number[], ...minimum: number[]): boolean {
  const [major = 0, minor = 0] = version
  const [wantedMajor = 0, wantedMinor = 0] = minimum
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)
}
