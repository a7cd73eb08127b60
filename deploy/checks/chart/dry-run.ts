import { parseArgs } from 'node:util'
import { stringify } from 'yaml'
import { listValuesFiles, readManifests, renderText, runTool } from './render.ts'

// Validates what the chart renders on the cluster of kubectl without changing it: `kubectl apply --dry-run=server` with
// strict validation, in a namespace with restricted Pod Security, for every values file. Lists kinds that the cluster
// does not know. Exits with 1 on any error or warning.

const { values } = parseArgs({ options: { namespace: { type: 'string', default: 'skyfolio-dry-run' } } })
const { namespace } = values

const kubectl = (args: string[], input = '') => runTool('bash', ['-c', 'kubectl "$@" 2>&1', 'kubectl', ...args], input)

async function listKnownKinds(): Promise<Set<string>> {
  const lines = (await kubectl(['api-resources', '--no-headers'])).split('\n')
  return new Set(lines.map((line) => line.trim().split(/\s+/)).map((columns) => `${columns.at(-3)} ${columns.at(-1)}`))
}

/** Returns the number of accepted objects and the unknown kinds. @throws with the cluster's output on errors and warnings */
async function check(file: string, kinds: Set<string>): Promise<{ accepted: number; unknown: string[] }> {
  // A running release may use the node port.
  const values = { service: { nodePort: null } }
  const all = readManifests(await renderText({ files: [file], values, namespace, release: 'dry-run' }))
  const sent = all.filter(({ apiVersion, kind }) => kinds.has(`${apiVersion} ${kind}`))
  const text = sent.map((manifest) => stringify(manifest, { version: '1.1' })).join('---\n')
  const output = await kubectl(
    ['apply', '--dry-run=server', '--validate=strict', '--namespace', namespace, '-f', '-'],
    text,
  )
  if (/warning/i.test(output)) throw new Error(output)
  const unknown = all.filter((manifest) => !sent.includes(manifest)).map(({ kind }) => kind)
  return { accepted: sent.length, unknown: [...new Set(unknown)] }
}

const kinds = await listKnownKinds()
await kubectl(['create', 'namespace', namespace])
try {
  await kubectl([
    'label',
    'namespace',
    namespace,
    'pod-security.kubernetes.io/enforce=restricted',
    'pod-security.kubernetes.io/warn=restricted',
  ])
  for (const file of await listValuesFiles()) {
    try {
      const { accepted, unknown } = await check(file, kinds)
      console.log(
        `${file}: ${accepted} objects accepted${unknown.length > 0 ? `, not known to the cluster: ${unknown.join(', ')}` : ''}`,
      )
    } catch (error) {
      process.exitCode = 1
      console.error(`${file}: rejected\n${(error as Error).message}`)
    }
  }
} finally {
  await kubectl(['delete', 'namespace', namespace, '--wait=false'])
}
