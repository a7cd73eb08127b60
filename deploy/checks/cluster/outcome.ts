import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../../local/paths.ts'
import { reportChecks } from '../load/run-k6.ts'

/** A test's figures, the results of its checks, and sentences about failures. */
export interface Outcome {
  figures: Record<string, string | number>
  checks: Record<string, boolean>
  errors?: string[]
}

/** The flags of a test. */
export interface TestOptions {
  /** How long the load lasts; every test has its own default. */
  seconds?: number
  /** Votes per second. */
  rate: number
  /** Seed of all random decisions. */
  seed: number
}

/** Formats seconds with one decimal. */
export const inSeconds = (seconds: number) => `${seconds.toFixed(1)} s`

const MAX_ERRORS_SHOWN = 20

/** Prints an outcome as a table, writes it as JSON below .data/cluster-tests, and sets the exit code. */
export async function reportOutcome(name: string, { figures, checks, errors = [] }: Outcome): Promise<void> {
  const width = Math.max(...Object.keys(figures).map((key) => key.length))
  console.log(`\n${name}`)
  for (const [key, value] of Object.entries(figures)) console.log(`  ${key.padEnd(width)}  ${value}`)
  for (const error of errors.slice(0, MAX_ERRORS_SHOWN)) console.log(`  ! ${error}`)
  if (errors.length > MAX_ERRORS_SHOWN) console.log(`  ! and ${errors.length - MAX_ERRORS_SHOWN} more`)
  const folder = join(root, '.data/cluster-tests')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, `${name}.json`), JSON.stringify({ name, figures, checks, errors }, null, 2))
  await reportChecks(`cluster-${name}`, checks)
}
