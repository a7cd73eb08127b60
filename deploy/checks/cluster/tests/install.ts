import { openSignedInClient } from '../../../local/signed-in-client.ts'
import {
  countRestarts,
  installRelease,
  kubectl,
  listAllPods,
  prepareNamespace,
  target,
  waitUntil,
  waitUntilSettled,
} from '../cluster.ts'
import { inSeconds, type Outcome } from '../outcome.ts'

const GATEWAY_TIMEOUT_SECONDS = 30

/** Installs the chart with one command, up to a healthy system. */
export async function install(): Promise<Outcome> {
  await prepareNamespace()
  const start = performance.now()
  const since = () => (performance.now() - start) / 1000
  await installRelease(target.tag)
  const installed = since()
  await waitUntil('the gateway responds', GATEWAY_TIMEOUT_SECONDS, async () => (await fetch(target.url)).ok)
  await openSignedInClient(target.url, { username: `first-${Date.now()}`, password: 'a long enough password' })
  const signedIn = since()
  await waitUntilSettled(60)
  const pods = await listAllPods()
  const requests = await requestedCpu()
  return {
    figures: {
      'helm install, until all pods are ready': inSeconds(installed),
      'until a user has registered': inSeconds(signedIn),
      pods: pods.length,
      'container restarts': countRestarts(pods),
      'CPU requested by all pods': requests,
    },
    checks: {
      'installed by one command, and a user registered': true,
      'no container restarted': countRestarts(pods) === 0,
    },
  }
}

async function requestedCpu(): Promise<string> {
  const path =
    '{range .items[?(@.status.phase=="Running")]}{range .spec.containers[*]}{.resources.requests.cpu}{"\\n"}{end}{end}'
  const amounts = (await kubectl('get', 'pods', '--output', `jsonpath=${path}`)).split('\n').filter(Boolean)
  const milli = amounts.map((amount) => (amount.endsWith('m') ? Number.parseInt(amount, 10) : 1000 * Number(amount)))
  return `${milli.reduce((sum, amount) => sum + amount, 0)} m`
}
