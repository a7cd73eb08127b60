import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openPool } from '@skyfolio/kit/database'
import { root } from '../../local/paths.ts'
import type { RuntimeState } from '../../local/runtime-file.ts'

export type Environment = RuntimeState['env']

/** Reads rows of a component's database. */
export async function query<T>(
  env: Environment,
  component: string,
  text: string,
  values: unknown[] = [],
): Promise<T[]> {
  const pool = openPool(env[component]?.DATABASE_URL ?? '', { max: 1 })
  return pool
    .query<T & Record<string, never>>(text, values)
    .then(({ rows }) => rows)
    .finally(() => pool.end())
}

/** Runs one of the commands of docs/operations.md with this environment. Returns its output. */
export async function runCommand(env: Record<string, string>, file: string, ...args: string[]): Promise<string> {
  const options = { env: { ...process.env, ...env } }
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, file), ...args], options)
  return stdout.trim()
}
