import { between, type Random, shuffled } from './random.ts'

/** One injected fault. Times in milliseconds; `atMs` counts from the start of the load. */
export interface Fault {
  atMs: number
  target: string
  /** How long the process is frozen before it is killed; 0 kills it at once. */
  frozenMs: number
  /** How long it stays down, if this run and not its supervisor restarts it. */
  downMs: number
}

interface Track {
  targets: string[]
  /** Between the end of one fault and the next. */
  pauseMs: [min: number, max: number]
  frozenMs: [min: number, max: number]
}

/** No fault is injected at the end of the load, so that some of it runs against a recovering system. */
const QUIET_END_MS = 4_000

/** Plans the faults of one track, one after the other; every target is hit once before one is hit again. */
function planTrack(random: Random, ms: number, { targets, pauseMs, frozenMs }: Track): Fault[] {
  const faults: Fault[] = []
  let at = between(random, 1_000, 4_000)
  while (at < ms - QUIET_END_MS) {
    for (const target of shuffled(random, targets)) {
      // Some servers fail at once, as with a power cut; others first stop responding.
      const fault = {
        atMs: at,
        target,
        frozenMs: random() < 0.3 ? 0 : between(random, ...frozenMs),
        downMs: between(random, 200, 3_000),
      }
      if (at < ms - QUIET_END_MS) faults.push(fault)
      at += fault.frozenMs + fault.downMs + between(random, ...pauseMs)
    }
  }
  return faults
}

/** Services are killed at once; servers may be frozen first. One of each kind is down at a time. */
export interface FaultTargets {
  services: string[]
  servers: string[]
  /** Multiplies the pauses, for targets on which every request depends. */
  pauseFactor?: number
}

/** Plans the faults of a run. Faults of services and of servers overlap at random. */
export function planFaults(random: Random, ms: number, { services, servers, pauseFactor = 1 }: FaultTargets): Fault[] {
  const serviceFaults = planTrack(random, ms, {
    targets: services,
    pauseMs: [3_000 * pauseFactor, 9_000 * pauseFactor],
    frozenMs: [0, 0],
  })
  const serverFaults = planTrack(random, ms, {
    targets: servers,
    pauseMs: [1_000 * pauseFactor, 5_000 * pauseFactor],
    frozenMs: [500, 4_000],
  })
  return [...serviceFaults, ...serverFaults].sort((a, b) => a.atMs - b.atMs)
}

export function describeFault({ atMs, target, frozenMs }: Fault): string {
  const seconds = (ms: number) => (ms / 1000).toFixed(1)
  return `${seconds(atMs).padStart(5)} s  ${target} ${frozenMs > 0 ? `frozen for ${seconds(frozenMs)} s, then killed` : 'killed'}`
}
