import { execFile } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parse } from 'yaml'

// Generates the schemas with which kubeconform validates the chart: Kubernetes' from the cluster of kubectl, the others
// from the custom resource definitions in their projects' Go modules. Needs kubectl, a cluster and Go.

const run = promisify(execFile)
const target = fileURLToPath(new URL('generated/schemas/', import.meta.url))

/** The kinds that the chart renders, by API path. */
const KINDS = {
  'api/v1': ['ConfigMap', 'Pod', 'Secret', 'Service', 'ServiceAccount'],
  'apis/apps/v1': ['Deployment', 'StatefulSet'],
  'apis/autoscaling/v2': ['HorizontalPodAutoscaler'],
  'apis/batch/v1': ['Job'],
  'apis/networking.k8s.io/v1': ['Ingress', 'NetworkPolicy'],
  'apis/policy/v1': ['PodDisruptionBudget'],
}

/** Sources of custom resource definitions, all under the Apache licence 2.0, as Kubernetes is. */
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

/** Reduces a schema to what validation needs: no texts, no unknown properties. */
function toStrictSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toStrictSchema)
  if (typeof value !== 'object' || value === null) return value
  const schema = value as Schema
  if (schema['x-kubernetes-int-or-string']) return { type: ['integer', 'string'] }
  const result: Schema = {}
  for (const [keyword, inner] of Object.entries(schema)) {
    if (keyword.startsWith('x-') || ['description', 'default', 'example', 'format', 'nullable'].includes(keyword))
      continue
    if (keyword === 'properties') result.properties = eachValue(inner as Schema, toStrictSchema)
    else if (keyword === '$ref')
      result.$ref = String(inner).replace('#/components/schemas/', 'definitions.json#/definitions/')
    else result[keyword] = toStrictSchema(inner)
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

/** Reads the schemas of Kubernetes' own kinds, by file name, with their shared definitions. */
async function readClusterSchemas(): Promise<Map<string, unknown>> {
  const files = new Map<string, unknown>()
  const definitions = new Map<string, unknown>()
  for (const [path, kinds] of Object.entries(KINDS)) {
    const { stdout } = await run('kubectl', ['get', '--raw', `/openapi/v3/${path}`], { maxBuffer: 1 << 28 })
    const { schemas } = JSON.parse(stdout).components as { schemas: Record<string, Schema> }
    const [version, group = ''] = path.split('/').reverse()
    for (const kind of kinds) {
      const name = Object.keys(schemas).find((key) => key.endsWith(`.${version}.${kind}`))
      if (!name || !version) throw new Error(`The cluster knows no ${kind} in ${path}`)
      collectDefinitions(name, schemas, definitions)
      files.set(fileName(kind, group === 'api' || group === 'apis' ? '' : group, version), {
        $ref: `definitions.json#/definitions/${name}`,
      })
    }
  }
  files.set('definitions.json', { definitions: Object.fromEntries([...definitions].sort()) })
  return files
}

/** Adds a schema and all its references, without fields that only the cluster writes. */
function collectDefinitions(name: string, schemas: Record<string, Schema>, into: Map<string, unknown>): void {
  if (into.has(name)) return
  const { status: _status, managedFields: _managed, ...properties } = (schemas[name]?.properties ?? {}) as Schema
  const schema = toStrictSchema({ ...schemas[name], ...(schemas[name]?.properties ? { properties } : {}) })
  into.set(name, schema)
  for (const [, other] of JSON.stringify(schema).matchAll(/definitions\.json#\/definitions\/([^"]+)/g)) {
    if (other) collectDefinitions(other, schemas, into)
  }
}

/** Reads the schemas of custom resources, by file name. */
async function readModuleSchemas(): Promise<Map<string, unknown>> {
  const files = new Map<string, unknown>()
  for (const { module, files: paths } of CUSTOM) {
    const { stdout } = await run('go', ['mod', 'download', '-json', module], { maxBuffer: 1 << 28 })
    for (const path of paths) {
      const { spec } = parse(await readFile(join(JSON.parse(stdout).Dir, path), 'utf8')) as Definition
      const version = spec.versions.find(({ storage }) => storage)
      if (!version) throw new Error(`${path} stores no version`)
      const { properties, ...schema } = version.schema.openAPIV3Schema
      const { status: _status, ...wanted } = properties as Schema
      files.set(fileName(spec.names.kind, spec.group, version.name), toStrictSchema({ ...schema, properties: wanted }))
    }
  }
  return files
}

const files = new Map([...(await readClusterSchemas()), ...(await readModuleSchemas())])
await rm(target, { recursive: true, force: true })
await mkdir(target, { recursive: true })
for (const [name, schema] of files) await writeFile(join(target, name), `${JSON.stringify(schema)}\n`)
console.log(`${files.size} schemas in ${target}`)
