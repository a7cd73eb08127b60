import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parseAllDocuments } from 'yaml'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The chart's folder. */
export const chart = join(root, 'helm/skyfolio')

/** Where nobody says otherwise: of the cluster that the chart was tried on. */
const KUBERNETES = '1.36'

/** A Kubernetes object; what is in it is for the test to know. */
export interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> }
  // biome-ignore lint/suspicious/noExplicitAny: of every kind
  [field: string]: any
}

export type Values = Record<string, unknown>

export interface Rendering {
  /** Values files of the chart, by path in it; later ones win. */
  files?: string[]
  /** Values that win over the files. */
  values?: Values
  release?: string
  namespace?: string
  /** Which Helm: the tool's name in fetch-tool.sh. */
  helm?: 'helm' | 'helm4'
}

/** Runs a program with `input` and gives its output. Throws an error whose message holds what it wrote. */
export async function runTool(command: string, args: string[], input = ''): Promise<string> {
  const running = promisify(execFile)(command, args, { cwd: chart, maxBuffer: 1 << 28 })
  // Who reads no input may be gone before it is sent.
  running.child.stdin?.on('error', () => {}).end(input)
  try {
    return (await running).stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    throw new Error(`${stdout ?? ''}${stderr ?? String(error)}`)
  }
}

const tools = new Map<string, Promise<string>>()

/** Path of a tool, which is built at its first use. */
export function tool(name: 'helm' | 'helm4' | 'kubeconform'): Promise<string> {
  const known = tools.get(name) ?? runTool('bash', [join(root, 'services/testkit/scripts/fetch-tool.sh'), name])
  tools.set(name, known)
  return known.then((path) => path.trim())
}

/** What `helm template` writes. Throws with Helm's message where the chart refuses. */
export async function renderText(o: Rendering): Promise<string> {
  const { files = [], values = {}, release = 'sky', namespace = 'photos' } = o
  const args = ['template', release, '.', '--namespace', namespace, '--kube-version', KUBERNETES]
  const from = [...files.flatMap((file) => ['--values', file]), '--values', '-']
  return runTool(await tool(o.helm ?? 'helm'), [...args, ...from], JSON.stringify(values))
}

/** What the chart renders, read as Kubernetes reads it. */
export async function render(o: Rendering): Promise<Manifest[]> {
  return readManifests(await renderText(o))
}

export function readManifests(text: string): Manifest[] {
  const documents = parseAllDocuments(text, { version: '1.1', uniqueKeys: true })
  return documents
    .map((document) => {
      const [error] = document.errors
      if (error) throw error
      return document.toJS() as Manifest | null
    })
    .filter((manifest) => manifest !== null)
}

/** The message with which the chart refuses these values. Throws when it takes them. */
export async function refusal(o: Rendering): Promise<string> {
  const taken = await renderText(o).catch((error: Error) => error)
  if (taken instanceof Error) return taken.message
  throw new Error(`The chart takes ${JSON.stringify(o.values)}`)
}

/** Values files that the chart must render with: those of ci/ and the example for production. */
export async function valuesFiles(): Promise<string[]> {
  const names = await readdir(join(chart, 'ci'))
  return [...names.sort().map((name) => `ci/${name}`), 'examples/production/values.yaml']
}

/** The one object of a kind and name. Throws where there is none. */
export function find(manifests: Manifest[], kind: string, name: string): Manifest {
  const found = manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name)
  if (!found) throw new Error(`There is no ${kind} ${name}`)
  return found
}

/** Every object that makes pods, with the pods' metadata and spec. */
export function podsOf(manifests: Manifest[]): { owner: Manifest; metadata: Manifest['metadata']; spec: Manifest }[] {
  return manifests.flatMap((owner) => {
    if (owner.kind === 'Pod') return [{ owner, metadata: owner.metadata, spec: owner.spec }]
    const template = owner.spec?.template
    return template ? [{ owner, metadata: template.metadata, spec: template.spec }] : []
  })
}

/** The text of all templates. */
export async function templates(): Promise<string> {
  const entries = await readdir(join(chart, 'templates'), { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return (await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), 'utf8')))).join('\n')
}
