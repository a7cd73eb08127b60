import { parseArgs } from 'node:util'
import { stringify } from 'yaml'
import { readManifests, renderText, runTool, valuesFiles } from './render.ts'

// Has the cluster that kubectl reaches check what the chart renders, and change nothing: `kubectl apply --dry-run=server`
// with strict validation, in a namespace of restricted Pod Security, for every values file. Kinds that the cluster does
// not know are told. Ends with 1 when the cluster refuses anything or warns of anything.

const { values } = parseArgs({ options: { namespace: { type: 'string', default: 'skyfolio-dry-run' } } })
const { namespace } = values

const kubectl = (args: string[], input = '') => runTool('bash', ['-c', 'kubectl "$@" 2>&1', 'kubectl', ...args], input)

async function known(): Promise<Set<string>> {
  const lines = (await kubectl(['api-resources', '--no-headers'])).split('\n')
  return new Set(lines.map((line) => line.trim().split(/\s+/)).map((columns) => `${columns.at(-3)} ${columns.at(-1)}`))
}

/** The number of objects that the cluster took, and which kinds it does not know. Throws with what it says otherwise. */
async function check(file: string, kinds: Set<string>): Promise<{ taken: number; unknown: string[] }> {
  // A release that runs may hold the node port.
  const values = { service: { nodePort: null } }
  const all = readManifests(await renderText({ files: [file], values, namespace, release: 'dry-run' }))
  const sent = all.filter(({ apiVersion, kind }) => kinds.has(`${apiVersion} ${kind}`))
  const text = sent.map((manifest) => stringify(manifest, { version: '1.1' })).join('---\n')
  const answer = await kubectl(
    ['apply', '--dry-run=server', '--validate=strict', '--namespace', namespace, '-f', '-'],
    text,
  )
  if (/warning/i.test(answer)) throw new Error(answer)
  const unknown = all.filter((manifest) => !sent.includes(manifest)).map(({ kind }) => kind)
  return { taken: sent.length, unknown: [...new Set(unknown)] }
}

const kinds = await known()
await kubectl(['create', 'namespace', namespace])
try {
  await kubectl([
    'label',
    'namespace',
    namespace,
    'pod-security.kubernetes.io/enforce=restricted',
    'pod-security.kubernetes.io/warn=restricted',
  ])
  for (const file of await valuesFiles()) {
    try {
      const { taken, unknown } = await check(file, kinds)
      console.log(
        `${file}: ${taken} objects taken${unknown.length > 0 ? `, not known to the cluster: ${unknown.join(', ')}` : ''}`,
      )
    } catch (error) {
      process.exitCode = 1
      console.error(`${file}: refused\n${(error as Error).message}`)
    }
  }
} finally {
  await kubectl(['delete', 'namespace', namespace, '--wait=false'])
}
