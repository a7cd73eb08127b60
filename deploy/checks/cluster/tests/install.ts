import { openSignedInClient } from '../../../local/signed-in-client.ts'
import {
  countRestarts,
  helm,
  installRelease,
  listAllPods,
  prepareNamespace,
  target,
  waitUntil,
  waitUntilSettled,
} from '../cluster.ts'
import { type Outcome, took } from '../outcome.ts'

const GATEWAY_TIMEOUT_SECONDS = 30

/** Installs the chart with one command, up to a healthy system. */
export async function install({ figures, checks }: Outcome): Promise<void> {
  await prepareNamespace()
  figures['helm install, until all pods are ready'] = await took(installRelease(target.tag))
  await waitUntil('the gateway responds', GATEWAY_TIMEOUT_SECONDS, async () => (await fetch(target.url)).ok)
  await openSignedInClient(target.url, { username: `first-${Date.now()}`, password: 'a long enough password' })
  await waitUntilSettled(60)
  const pods = await listAllPods()
  figures.pods = pods.length
  checks['installed by one command, and a user registered'] = true
  checks['no container restarted'] = countRestarts(pods) === 0
}

/** The chart's own test: registers, uploads and votes through the gateway. */
export async function helmTest({ checks }: Outcome): Promise<void> {
  const output = await helm(['test', target.release], 300)
  const phases = [...output.matchAll(/^Phase:\s+(\S+)/gm)].map(([, phase]) => phase)
  checks['every test pod succeeded'] = phases.length > 0 && phases.every((phase) => phase === 'Succeeded')
}
