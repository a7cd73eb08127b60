import { globSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A clock that a run sets, by libfaketime, for the processes that have its environment. */
export interface Clock {
  env: Record<string, string>
  /** Seconds that it differs from the machine's. */
  set(seconds: number): Promise<void>
}

export async function createClock(folder: string): Promise<Clock> {
  const [library] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')
  if (!library) throw new Error('libfaketime is missing: apt-get install libfaketime')
  const file = join(folder, 'clock')
  const set = (seconds: number) => writeFile(file, `${seconds < 0 ? '' : '+'}${seconds}\n`, { mode: 0o644 })
  await set(0)
  return {
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      // A process that is killed must not keep the others' lock.
      FAKETIME_DISABLE_SHM: '1',
      NO_FAKE_STAT: '1',
    },
    set,
  }
}

/** @throws Error when none of the processes has loaded the library, which fails without a word */
export async function requireFaketime(pids: number[]): Promise<void> {
  const maps = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/maps`, 'utf8').catch(() => '')))
  if (!maps.some((map) => map.includes('libfaketimeMT'))) throw new Error('the process has no clock that can be set')
}
