import { between, type Random, shuffled } from './random.ts'

/** One thing that goes wrong. Times in milliseconds, `at` from the beginning of the load. */
export interface Fault {
  at: number
  target: string
  /** How long the process is frozen before it is killed; 0: it is killed at once. */
  frozen: number
  /** How long it stays away after that, where this run and not its supervisor starts it again. */
  away: number
}

interface Track {
  targets: string[]
  /** From the end of one fault to the next. */
  pause: [least: number, most: number]
  frozen: [least: number, most: number]
}

/** No fault comes in the last moments of the load, so that some of it meets a system that recovers. */
const quietEnd = 4_000

/** The faults of one track, one after the other; every target has its turn before one has a second. */
function planTrack(random: Random, ms: number, { targets, pause, frozen }: Track): Fault[] {
  const faults: Fault[] = []
  let at = between(random, 1_000, 4_000)
  while (at < ms - quietEnd) {
    for (const target of shuffled(random, targets)) {
      // Some servers vanish in an instant, as with a power cut; others first stop answering.
      const fault = {
        at,
        target,
        frozen: random() < 0.3 ? 0 : between(random, ...frozen),
        away: between(random, 200, 3_000),
      }
      if (at < ms - quietEnd) faults.push(fault)
      at += fault.frozen + fault.away + between(random, ...pause)
    }
  }
  return faults
}

/** Services vanish at once; servers may freeze before. One of each kind is away at a time. */
export interface Targets {
  services: string[]
  servers: string[]
  /** Times the usual pauses, where what is killed is what everything goes through. */
  calm?: number
}

/** The faults of a run: those of the services and those of the servers overlap as chance has it. */
export function planFaults(random: Random, ms: number, { services, servers, calm = 1 }: Targets): Fault[] {
  const ours = planTrack(random, ms, { targets: services, pause: [3_000 * calm, 9_000 * calm], frozen: [0, 0] })
  const others = planTrack(random, ms, { targets: servers, pause: [1_000 * calm, 5_000 * calm], frozen: [500, 4_000] })
  return [...ours, ...others].sort((a, b) => a.at - b.at)
}

export function describeFault({ at, target, frozen }: Fault): string {
  const seconds = (ms: number) => (ms / 1000).toFixed(1)
  return `${seconds(at).padStart(5)} s  ${target} ${frozen > 0 ? `frozen for ${seconds(frozen)} s, then killed` : 'killed'}`
}
