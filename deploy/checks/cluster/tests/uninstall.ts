import { get, helm, kubectl, listAllPods, run, target, waitUntil } from '../cluster.ts'
import { type Outcome, took } from '../outcome.ts'

/** Objects that every namespace has, and records of past events. */
const NOT_OURS =
  /^(event|events\.events\.k8s\.io|serviceaccount\/default|configmap\/kube-root-ca\.crt|.*\.metrics\.k8s\.io)/
const GONE_TIMEOUT_SECONDS = 120

/** Uninstalls the release, then deletes the namespace: only the data volumes and the operator's secret may remain. */
export async function uninstall({ figures, checks, errors }: Outcome): Promise<void> {
  await helm(['uninstall', target.release], 300)
  const gone = waitUntil('every pod has terminated', GONE_TIMEOUT_SECONDS, async () => {
    return (await listAllPods()).length === 0
  })
  figures['until the last pod has terminated'] = await took(gone)
  const remaining = await leftovers()
  const volumes = remaining.filter((name) => name.startsWith('persistentvolumeclaim/'))
  const others = remaining.filter((name) => !volumes.includes(name) && name !== 'secret/skyfolio-secrets')
  errors.push(...others, ...(await clusterWide()))
  await run('kubectl', ['delete', 'namespace', target.namespace, '--wait=true'], { seconds: 180 })
  checks['only the data volumes and the secret of the operator remain'] = errors.length === 0
  checks['the data volumes remain'] = volumes.length > 0
}

/** All objects of any kind in the namespace. */
async function leftovers(): Promise<string[]> {
  const kinds = await run('kubectl', ['api-resources', '--namespaced', '--verbs=list', '--output=name'])
  const listed = kinds.split('\n').filter((kind) => kind && !NOT_OURS.test(kind))
  const names = await kubectl('get', listed.join(), '--ignore-not-found', '--output=name')
  return names.split('\n').filter((name) => name && !NOT_OURS.test(name))
}

/** Objects outside the namespace with the release's label. */
async function clusterWide(): Promise<string[]> {
  const kinds = 'clusterroles,clusterrolebindings,priorityclasses,customresourcedefinitions'
  const selector = `app.kubernetes.io/instance=${target.release},app.kubernetes.io/name=skyfolio`
  const { items } = await get<{ items: { kind: string; metadata: { name: string } }[] }>(kinds, '--selector', selector)
  return items.map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}`)
}
