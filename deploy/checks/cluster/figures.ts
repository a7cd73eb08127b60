import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../../local/paths.ts'
import { closeWithReport } from '../load/k6.ts'

/** What a test saw, what had to hold, and sentences about what did not. */
export interface Outcome {
  figures: Record<string, string | number>
  checks: Record<string, boolean>
  troubles?: string[]
}

/** Seconds with one digit, for figures. */
export const inSeconds = (seconds: number) => `${seconds.toFixed(1)} s`

const mostTroubles = 20

/** Prints an outcome as a table, writes it as JSON below .data/cluster-tests, and sets the exit code. */
export async function conclude(name: string, { figures, checks, troubles = [] }: Outcome): Promise<void> {
  const width = Math.max(...Object.keys(figures).map((key) => key.length))
  console.log(`\n${name}`)
  for (const [key, value] of Object.entries(figures)) console.log(`  ${key.padEnd(width)}  ${value}`)
  for (const trouble of troubles.slice(0, mostTroubles)) console.log(`  ! ${trouble}`)
  if (troubles.length > mostTroubles) console.log(`  ! and ${troubles.length - mostTroubles} more`)
  const folder = join(root, '.data/cluster-tests')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, `${name}.json`), JSON.stringify({ name, figures, checks, troubles }, null, 2))
  await closeWithReport(`cluster-${name}`, checks)
}
