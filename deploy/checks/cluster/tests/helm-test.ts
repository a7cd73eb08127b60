import { helm, target } from '../cluster.ts'
import { inSeconds, type Outcome } from '../figures.ts'

/** The chart's own test: registers, uploads and votes through the gateway. */
export async function helmTest(): Promise<Outcome> {
  const begun = performance.now()
  const said = await helm(['test', target.release], 300)
  const phases = [...said.matchAll(/^Phase:\s+(\S+)/gm)].map(([, phase]) => phase)
  return {
    figures: { 'helm test': inSeconds((performance.now() - begun) / 1000), phases: phases.join(', ') },
    checks: { 'every test pod succeeded': phases.length > 0 && phases.every((phase) => phase === 'Succeeded') },
  }
}
