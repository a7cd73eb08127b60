import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parseAllDocuments } from 'yaml'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The chart's directory. */
export const CHART_DIRECTORY = join(root, 'helm/skyfolio')

/** Version of the cluster on which the chart was tested. */
const KUBERNETES_VERSION = '1.36'

/** A Kubernetes object; tests know the fields of its kind. */
export interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> }
  // biome-ignore lint/suspicious/noExplicitAny: fields of any kind
  [field: string]: any
}

export type Values = Record<string, unknown>

export interface RenderOptions {
  /** Values files of the chart, by path in it; later ones override earlier ones. */
  files?: string[]
  /** Values that override the files. */
  values?: Values
  release?: string
  namespace?: string
}

/** Runs a program with `input` and returns its output. @throws with the program's output when it fails */
export async function runTool(command: string, args: string[], input = ''): Promise<string> {
  const running = promisify(execFile)(command, args, { cwd: CHART_DIRECTORY, maxBuffer: 1 << 28 })
  // A program that reads no input may exit before it is sent.
  running.child.stdin?.on('error', () => {}).end(input)
  try {
    return (await running).stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    throw new Error(`${stdout ?? ''}${stderr ?? String(error)}`)
  }
}

const toolPaths = new Map<string, Promise<string>>()

/** Returns the path of a tool, which is built at its first use. */
export function toolPath(name: 'helm' | 'kubeconform'): Promise<string> {
  const known = toolPaths.get(name) ?? runTool('bash', [join(root, 'services/testkit/scripts/fetch-tool.sh'), name])
  toolPaths.set(name, known)
  return known.then((path) => path.trim())
}

/** Returns the output of `helm template`. @throws with Helm's message when the chart rejects the values */
export async function renderText(options: RenderOptions): Promise<string> {
  const { files = [], values = {}, release = 'sky', namespace = 'photos' } = options
  const args = ['template', release, '.', '--namespace', namespace, '--kube-version', KUBERNETES_VERSION]
  const from = [...files.flatMap((file) => ['--values', file]), '--values', '-']
  return runTool(await toolPath('helm'), [...args, ...from], JSON.stringify(values))
}

/** Renders the chart and parses the manifests as Kubernetes does. */
export async function render(options: RenderOptions): Promise<Manifest[]> {
  return readManifests(await renderText(options))
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

/** Returns the message with which the chart rejects these values. @throws when it accepts them */
export async function renderError(options: RenderOptions): Promise<string> {
  const rendered = await renderText(options).catch((error: Error) => error)
  if (rendered instanceof Error) return rendered.message
  throw new Error(`The chart accepts ${JSON.stringify(options.values)}`)
}

/** Lists the values files that the chart must render with: those of ci/ and the production example. */
export async function listValuesFiles(): Promise<string[]> {
  const names = await readdir(join(CHART_DIRECTORY, 'ci'))
  return [...names.sort().map((name) => `ci/${name}`), 'examples/production/values.yaml']
}

/** Returns the object of a kind and name. @throws when there is none */
export function findObject(manifests: Manifest[], kind: string, name: string): Manifest {
  const found = manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name)
  if (!found) throw new Error(`There is no ${kind} ${name}`)
  return found
}

/** Returns every object that creates pods, with the pods' metadata and spec. */
export function podsOf(manifests: Manifest[]): { owner: Manifest; metadata: Manifest['metadata']; spec: Manifest }[] {
  return manifests.flatMap((owner) => {
    if (owner.kind === 'Pod') return [{ owner, metadata: owner.metadata, spec: owner.spec }]
    const template = owner.spec?.template
    return template ? [{ owner, metadata: template.metadata, spec: template.spec }] : []
  })
}
