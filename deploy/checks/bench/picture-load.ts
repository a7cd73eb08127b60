import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ListedRequest, Load, LoadResult } from '../../../services/folders/bench/load.ts'
import { root } from '../../local/paths.ts'

const CONNECTIONS = 100

/** Runs the light generator of the votes' benchmark in a process of its own: as many requests as possible, or at a rate. */
export async function runLoad(
  port: number,
  requests: ListedRequest[],
  options: Pick<Load, 'seconds' | 'rate' | 'once'>,
): Promise<LoadResult> {
  // Their addresses do not fit into an argument.
  const list = join(tmpdir(), `requests-${randomUUID()}.json`)
  await writeFile(list, JSON.stringify(requests))
  const load: Load = { port, list, connections: CONNECTIONS, ...options }
  const script = join(root, 'services/folders/bench/load.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(load)])
  await rm(list)
  return JSON.parse(stdout)
}
