import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

const registry = new Registry()

function once<M>(name: string, make: () => M): M {
  return (registry.getSingleMetric(name) as M | undefined) ?? make()
}

/** Prometheus metrics of this process. Asking again for a name gives the same metric. */
export const metrics = {
  counter: <L extends string = never>(name: string, help: string, labels: readonly L[] = []): Counter<L> =>
    once(name, () => new Counter({ name, help, labelNames: labels, registers: [registry] })),

  /** `buckets` default to those of durations in seconds. */
  histogram: <L extends string = never>(
    name: string,
    help: string,
    labels: readonly L[] = [],
    buckets?: number[],
  ): Histogram<L> =>
    once(
      name,
      () => new Histogram({ name, help, labelNames: labels, registers: [registry], ...(buckets && { buckets }) }),
    ),

  /** `collect` sets the gauge whenever the metrics are read; a later gauge of the same name takes over. */
  gauge: <L extends string = never>(
    name: string,
    help: string,
    labels: readonly L[] = [],
    collect?: (gauge: Gauge<L>) => void | Promise<void>,
  ): Gauge<L> => {
    if (!collect) return once(name, () => new Gauge({ name, help, labelNames: labels, registers: [registry] }))
    registry.removeSingleMetric(name)
    return new Gauge<L>({
      name,
      help,
      labelNames: labels,
      registers: [registry],
      collect() {
        return collect(this)
      },
    })
  },
}

/** Adds memory, CPU, event loop and garbage collection of the process. */
export function collectProcessMetrics(): void {
  if (!registry.getSingleMetric('process_cpu_seconds_total')) collectDefaultMetrics({ register: registry })
}

/** All metrics in Prometheus' text format. */
export async function renderMetrics(): Promise<{ text: string; contentType: string }> {
  return { text: await registry.metrics(), contentType: registry.contentType }
}
