import { helm, target } from '../cluster.ts'
import { inSeconds, type Outcome } from '../outcome.ts'

/** The chart's own test: registers, uploads and votes through the gateway. */
export async function helmTest(): Promise<Outcome> {
  const start = performance.now()
  const output = await helm(['test', target.release], 300)
  const phases = [...output.matchAll(/^Phase:\s+(\S+)/gm)].map(([, phase]) => phase)
  return {
    figures: { 'helm test': inSeconds((performance.now() - start) / 1000), phases: phases.join(', ') },
    checks: { 'every test pod succeeded': phases.length > 0 && phases.every((phase) => phase === 'Succeeded') },
  }
}
