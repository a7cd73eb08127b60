import { readFile, writeFile } from 'node:fs/promises'

const TICKS_PER_SECOND = 100

/** CPU seconds that a process has used, or with `children` those that it started too; null where /proc is missing. */
export async function cpuSeconds(pid: number, options: { children?: boolean } = {}): Promise<number | null> {
  const own = await statOf(pid)
  if (!own) return null
  if (!options.children) return (own.user + own.system) / TICKS_PER_SECOND
  const listed = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  const stats = await Promise.all(
    listed
      .trim()
      .split(' ')
      .filter(Boolean)
      .map((child) => statOf(Number(child))),
  )
  const living = stats.reduce((sum, stat) => sum + (stat ? stat.user + stat.system : 0), 0)
  return (own.user + own.system + own.ended + living) / TICKS_PER_SECOND
}

async function statOf(pid: number): Promise<{ user: number; system: number; ended: number } | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  if (!stat) return null
  // The fields after the program's name, which may hold spaces: state is the third of all, user time the fourteenth.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15)
  return { user, system, ended: endedUser + endedSystem }
}

/** Peak resident memory of a process in MB since `resetPeakMemory`. Linux only. */
export async function peakMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]
  if (!kibibytes) throw new Error(`no peak memory is known of process ${pid}`)
  return (Number(kibibytes) * 1024) / 1e6
}

/** Resets the peak to the present resident memory. */
export async function resetPeakMemory(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5')
}
