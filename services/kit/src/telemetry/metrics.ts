import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** All metrics of our own share this prefix. */
type Name = `skyfolio_${string}`

/** The present value of a gauge under these labels. */
// biome-ignore lint/suspicious/noExplicitAny: gauges of any labels
export type Measurement = [gauge: Gauge<any>, value: number, labels?: Record<string, string>]

interface MetricDescription {
  name: string
  type: 'counter' | 'gauge' | 'histogram'
  labels: readonly string[]
  help: string
}

interface Source {
  read(): Measurement[] | Promise<Measurement[]>
  running?: Promise<Measurement[]> | undefined
}

/** Longer than the timeout of readiness checks. */
const READ_WITHIN_MS = 2_500

const registry = new Registry()
const declared = new Map<string, MetricDescription>()
const sources = new Map<string, Source>()

function register<M>(
  type: MetricDescription['type'],
  name: Name,
  help: string,
  labels: readonly string[],
  make: () => M,
) {
  declared.set(name, { name, type, labels, help })
  return (registry.getSingleMetric(name) as M | undefined) ?? make()
}

function makeGauge<L extends string>(name: Name, help: string, labelNames: readonly L[]): Gauge<L> {
  const gauge = new Gauge({ name, help, labelNames, registers: [registry] })
  clear(gauge)
  return gauge
}

/** A gauge without a value is absent from the scrape: 0 would be wrong. */
function clear(gauge: Gauge): void {
  gauge.reset()
  // Without labels a reset sets 0.
  gauge.remove({})
}

/** Prometheus metrics of this process. The same name always returns the same metric. */
export const metrics = {
  counter: <L extends string = never>(name: Name, help: string, labels: readonly L[] = []): Counter<L> =>
    register(
      'counter',
      name,
      help,
      labels,
      () => new Counter({ name, help, labelNames: labels, registers: [registry] }),
    ),

  /** `buckets` default to those of durations in seconds. */
  histogram: <L extends string = never>(
    name: Name,
    help: string,
    labels: readonly L[] = [],
    buckets?: number[],
  ): Histogram<L> => {
    const options = { name, help, labelNames: labels, registers: [registry], ...(buckets && { buckets }) }
    return register('histogram', name, help, labels, () => new Histogram(options))
  },

  /** Has no value until it is set, or read by `onScrape`. */
  gauge: <L extends string = never>(name: Name, help: string, labels: readonly L[] = []): Gauge<L> =>
    register('gauge', name, help, labels, () => makeGauge(name, help, labels)),

  /**
   * Calls `read` for the values of gauges at each scrape; a later registration of the same name replaces an earlier one.
   * Values that take longer than 2.5 seconds are absent from that scrape; a read in progress is not started again.
   * Returns the function that unregisters it.
   */
  onScrape(name: string, read: Source['read']): () => void {
    const source = { read }
    sources.set(name, source)
    return () => {
      if (sources.get(name) === source) sources.delete(name)
    }
  },
}

const unread = metrics.counter('skyfolio_metrics_unread_total', 'Scrapes that lack the values of a source', ['source'])
const build = metrics.gauge('skyfolio_build_info', 'Always 1; version and runtime are in the labels', [
  'version',
  'node',
])
const gaugesRead = new Set<Gauge>()

async function readSource(name: string, source: Source): Promise<Measurement[]> {
  source.running ??= (async () => source.read())().finally(() => {
    source.running = undefined
  })
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`not read within ${READ_WITHIN_MS} ms`)), READ_WITHIN_MS)
  try {
    return await Promise.race([source.running, timeout])
  } catch {
    unread.inc({ source: name })
    return []
  } finally {
    clearTimeout(timer)
  }
}

async function readSources(): Promise<void> {
  const measured = (await Promise.all([...sources].map(([name, source]) => readSource(name, source)))).flat()
  // All at once, so that a concurrent scrape never sees a part.
  for (const gauge of gaugesRead) clear(gauge)
  for (const [gauge, value, labels = {}] of measured) {
    gaugesRead.add(gauge)
    gauge.set(labels, value)
  }
}

/**
 * Adds memory, CPU, event loop and garbage collection of the process, and the label `component` to every metric, which
 * does not depend on how the scraper names its targets.
 */
export function collectProcessMetrics(component: string, version: string): void {
  registry.setDefaultLabels({ component })
  collectDefaultMetrics({ register: registry })
  build.set({ version, node: process.version }, 1)
}

/** All metrics in Prometheus' text format. */
export async function renderMetrics(): Promise<{ text: string; contentType: string }> {
  await readSources()
  return { text: await registry.metrics(), contentType: registry.contentType }
}

/** The metrics of our own that the loaded modules declare, by name, for their documentation. */
export function describeMetrics(): MetricDescription[] {
  return [...declared.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

const up = metrics.gauge('skyfolio_connection_up', 'Whether a connection of this process is up (1) or not (0)', [
  'server',
  'connection',
])

/** Reports whether a connection is up. */
export function measureConnection(server: 'redis' | 'nats', connection: string, isUp: () => boolean): void {
  metrics.onScrape(`connection ${server} ${connection}`, () => [[up, isUp() ? 1 : 0, { server, connection }]])
}
