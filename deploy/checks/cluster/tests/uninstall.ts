import { allPods, get, helm, kubectl, run, target, until } from '../cluster.ts'
import { inSeconds, type Outcome } from '../figures.ts'

/** What every namespace has, or what tells of the past. */
const notOurs =
  /^(event|events\.events\.k8s\.io|serviceaccount\/default|configmap\/kube-root-ca\.crt|.*\.metrics\.k8s\.io)/
const gone = 120

/** Takes the release away, and then the namespace of the tests: only the data volumes and the operator's secret are left. */
export async function uninstall(): Promise<Outcome> {
  const begun = performance.now()
  await helm(['uninstall', target.release], 300)
  await until('every pod is gone', gone, async () => (await allPods()).length === 0)
  const took = (performance.now() - begun) / 1000
  const left = await leftovers()
  const volumes = left.filter((name) => name.startsWith('persistentvolumeclaim/'))
  const others = left.filter((name) => !volumes.includes(name) && name !== 'secret/skyfolio-secrets')
  const global = await clusterWide()
  await run('kubectl', ['delete', 'namespace', target.namespace, '--wait=true'], { seconds: 180 })
  return {
    figures: {
      'helm uninstall, until the last pod is gone': inSeconds(took),
      'data volumes left': volumes.map((name) => name.split('/')[1]).join(', '),
    },
    checks: {
      'nothing is left but the data volumes and the secret of the operator': others.length === 0 && global.length === 0,
      'the data volumes are left': volumes.length > 0,
    },
    troubles: [...others, ...global],
  }
}

/** Everything in the namespace, of whatever kind. */
async function leftovers(): Promise<string[]> {
  const kinds = await run('kubectl', ['api-resources', '--namespaced', '--verbs=list', '--output=name'])
  const listed = kinds.split('\n').filter((kind) => kind && !notOurs.test(kind))
  const names = await kubectl('get', listed.join(), '--ignore-not-found', '--output=name')
  return names.split('\n').filter((name) => name && !notOurs.test(name))
}

/** Objects outside the namespace that carry the release's label. */
async function clusterWide(): Promise<string[]> {
  const kinds = 'clusterroles,clusterrolebindings,priorityclasses,customresourcedefinitions'
  const selector = `app.kubernetes.io/instance=${target.release},app.kubernetes.io/name=skyfolio`
  const { items } = await get<{ items: { kind: string; metadata: { name: string } }[] }>(kinds, '--selector', selector)
  return items.map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}`)
}
