import { openSession } from '../../../local/session.ts'
import { allPods, kubectl, prepareNamespace, restartsOf, target, until, untilSettled, upgrade } from '../cluster.ts'
import { inSeconds, type Outcome } from '../figures.ts'

const doorSeconds = 30

/** From nothing to healthy with one command. */
export async function install(): Promise<Outcome> {
  await prepareNamespace()
  const begun = performance.now()
  const since = () => (performance.now() - begun) / 1000
  await upgrade(target.tag)
  const installed = since()
  await until('the door opens', doorSeconds, async () => (await fetch(target.url)).ok)
  await openSession(target.url, { username: `first-${Date.now()}`, password: 'a long enough password' })
  const signedIn = since()
  await untilSettled(60)
  const pods = await allPods()
  const requests = await requestedCpu()
  return {
    figures: {
      'helm install, until all is ready': inSeconds(installed),
      'until somebody has registered': inSeconds(signedIn),
      pods: pods.length,
      'containers started again': restartsOf(pods),
      'CPU requested by all pods': requests,
    },
    checks: {
      'installed by one command, and somebody registered': true,
      'no container was started again': restartsOf(pods) === 0,
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
