import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort, startProcess } from '@skyfolio/testkit/servers'
import { root } from '../../local/paths.ts'

export const OBSERVABILITY_DIRECTORY = join(root, 'deploy/observability')

/** One series of a query's result. */
export interface Series {
  metric: Record<string, string>
  value: [time: number, value: string]
}

/** A private Prometheus that scrapes every second; its data is deleted at the end. */
export interface Prometheus {
  /** Runs an instant query. @throws Error with Prometheus's message for an invalid one */
  query(expression: string): Promise<Series[]>
  /** Calls another endpoint of its HTTP API. */
  api<T>(path: string): Promise<T>
  stop(): Promise<void>
}

/** Returns the directory of `prometheus` and `promtool`. @throws Error that says how to install them */
async function fetchPrograms(): Promise<string> {
  return (await promisify(execFile)(join(OBSERVABILITY_DIRECTORY, 'fetch-prometheus.sh'))).stdout.trim()
}

/** Runs promtool in the directory of the rules. @throws with its output */
export async function runPromtool(...args: string[]): Promise<void> {
  await promisify(execFile)(join(await fetchPrograms(), 'promtool'), args, { cwd: OBSERVABILITY_DIRECTORY })
}

/** @param targets operator ports by component */
export async function startPrometheus(targets: Record<string, number>): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'skyfolio-prometheus-'))
  const configFile = join(folder, 'prometheus.yml')
  // JSON is valid YAML.
  await writeFile(configFile, JSON.stringify(configuration(targets)))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const server = await startProcess({
    name: 'prometheus',
    command: join(await fetchPrograms(), 'prometheus'),
    args: [
      `--config.file=${configFile}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    url,
    logFile: join(folder, 'log'),
    stopSignal: 'TERM',
    ready: async () => {
      if (!(await fetch(`${url}/-/ready`)).ok) throw new Error('not ready')
    },
  })
  const api = async <T>(path: string): Promise<T> => {
    const answer = (await (await fetch(`${url}/api/v1/${path}`)).json()) as { data: T; error?: string }
    if (answer.error) throw new Error(`${decodeURIComponent(path)}: ${answer.error}`)
    return answer.data
  }
  return {
    query: async (expression) =>
      (await api<{ result: Series[] }>(`query?query=${encodeURIComponent(expression)}`)).result,
    api,
    async stop() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function configuration(targets: Record<string, number>) {
  return {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: [join(OBSERVABILITY_DIRECTORY, 'alerts.yaml')],
    scrape_configs: Object.entries(targets).map(([component, port]) => ({
      job_name: component,
      static_configs: [{ targets: [`127.0.0.1:${port}`] }],
    })),
  }
}
