import { execFile } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parse } from 'yaml'

// Makes the schemas that kubeconform checks the chart by: Kubernetes' from the cluster that kubectl reaches, the others
// from the custom resource definitions in their projects' Go modules. Needs kubectl, a cluster and Go.

const run = promisify(execFile)
const target = fileURLToPath(new URL('generated/schemas/', import.meta.url))

/** What the chart renders, by the path of its API. */
const KINDS = {
  'api/v1': ['ConfigMap', 'Pod', 'Secret', 'Service', 'ServiceAccount'],
  'apis/apps/v1': ['Deployment', 'StatefulSet'],
  'apis/autoscaling/v2': ['HorizontalPodAutoscaler'],
  'apis/batch/v1': ['Job'],
  'apis/networking.k8s.io/v1': ['Ingress', 'NetworkPolicy'],
  'apis/policy/v1': ['PodDisruptionBudget'],
}

/** Where definitions of custom resources are, all under the Apache licence 2.0, as Kubernetes is. */
const CUSTOM = [
  {
    module: 'sigs.k8s.io/gateway-api@v1.6.3',
    files: ['config/crd/standard/gateway.networking.k8s.io_httproutes.yaml'],
  },
  {
    module: 'github.com/kedacore/keda/v2@v2.21.0',
    files: ['config/crd/bases/keda.sh_scaledobjects.yaml', 'config/crd/bases/keda.sh_triggerauthentications.yaml'],
  },
  {
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    files: [
      'example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml',
      'example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml',
    ],
  },
]

type Schema = { [keyword: string]: unknown }
interface Definition {
  spec: {
    group: string
    names: { kind: string }
    versions: { name: string; storage: boolean; schema: { openAPIV3Schema: Schema } }[]
  }
}

/** A schema for reading only what matters: without texts, and strict about what it does not know. */
function strict(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strict)
  if (typeof value !== 'object' || value === null) return value
  const schema = value as Schema
  if (schema['x-kubernetes-int-or-string']) return { type: ['integer', 'string'] }
  const result: Schema = {}
  for (const [keyword, inner] of Object.entries(schema)) {
    if (keyword.startsWith('x-') || ['description', 'default', 'example', 'format', 'nullable'].includes(keyword))
      continue
    if (keyword === 'properties') result.properties = eachValue(inner as Schema, strict)
    else if (keyword === '$ref')
      result.$ref = String(inner).replace('#/components/schemas/', 'definitions.json#/definitions/')
    else result[keyword] = strict(inner)
  }
  if (result.properties && !schema['x-kubernetes-preserve-unknown-fields']) result.additionalProperties ??= false
  if (schema.nullable && typeof result.type === 'string') result.type = [result.type, 'null']
  return result
}

function eachValue(map: Schema, change: (value: unknown) => unknown): Schema {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]))
}

function fileName(kind: string, group: string, version: string): string {
  return [kind.toLowerCase(), group.split('.')[0], version].filter(Boolean).join('-').concat('.json')
}

/** The schemas of Kubernetes' own kinds, by file name. They share the definitions that they refer to. */
async function ofCluster(): Promise<Map<string, unknown>> {
  const files = new Map<string, unknown>()
  const definitions = new Map<string, unknown>()
  for (const [path, kinds] of Object.entries(KINDS)) {
    const { stdout } = await run('kubectl', ['get', '--raw', `/openapi/v3/${path}`], { maxBuffer: 1 << 28 })
    const { schemas } = JSON.parse(stdout).components as { schemas: Record<string, Schema> }
    const [version, group = ''] = path.split('/').reverse()
    for (const kind of kinds) {
      const name = Object.keys(schemas).find((key) => key.endsWith(`.${version}.${kind}`))
      if (!name || !version) throw new Error(`The cluster knows no ${kind} in ${path}`)
      collect(name, schemas, definitions)
      files.set(fileName(kind, group === 'api' || group === 'apis' ? '' : group, version), {
        $ref: `definitions.json#/definitions/${name}`,
      })
    }
  }
  files.set('definitions.json', { definitions: Object.fromEntries([...definitions].sort()) })
  return files
}

/** Adds a schema and all that it refers to. What the cluster alone writes is left out. */
function collect(name: string, schemas: Record<string, Schema>, into: Map<string, unknown>): void {
  if (into.has(name)) return
  const { status: _status, managedFields: _managed, ...properties } = (schemas[name]?.properties ?? {}) as Schema
  const schema = strict({ ...schemas[name], ...(schemas[name]?.properties ? { properties } : {}) })
  into.set(name, schema)
  for (const [, other] of JSON.stringify(schema).matchAll(/definitions\.json#\/definitions\/([^"]+)/g)) {
    if (other) collect(other, schemas, into)
  }
}

/** The schemas of custom resources, by file name. */
async function ofModules(): Promise<Map<string, unknown>> {
  const files = new Map<string, unknown>()
  for (const { module, files: paths } of CUSTOM) {
    const { stdout } = await run('go', ['mod', 'download', '-json', module], { maxBuffer: 1 << 28 })
    for (const path of paths) {
      const { spec } = parse(await readFile(join(JSON.parse(stdout).Dir, path), 'utf8')) as Definition
      const version = spec.versions.find(({ storage }) => storage)
      if (!version) throw new Error(`${path} stores no version`)
      const { properties, ...schema } = version.schema.openAPIV3Schema
      const { status: _status, ...wanted } = properties as Schema
      files.set(fileName(spec.names.kind, spec.group, version.name), strict({ ...schema, properties: wanted }))
    }
  }
  return files
}

const files = new Map([...(await ofCluster()), ...(await ofModules())])
await rm(target, { recursive: true, force: true })
await mkdir(target, { recursive: true })
for (const [name, schema] of files) await writeFile(join(target, name), `${JSON.stringify(schema)}\n`)
console.log(`${files.size} schemas in ${target}`)
