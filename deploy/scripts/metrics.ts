import { writeFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describeMetrics } from '@skyfolio/kit'
import '@skyfolio/kit/passwords'
import '@skyfolio/kit/queue'
import { COMPONENTS, componentNames } from '../components.ts'
import { table } from './table.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

// `npm run generate`: writes the documentation of every metric of our own, as Markdown.
await writeFile(`${root}docs/metrics.md`, await renderMetricsPage())

async function renderMetricsPage(): Promise<string> {
  for (const module of COMPONENTS.flatMap(({ metrics = [] }) => metrics))
    await import(pathToFileURL(`${root}${module}`).href)
  const rows = describeMetrics().map(({ name, type, labels, help }) => [
    `\`${name}\``,
    type,
    labels.map((label) => `\`${label}\``).join(', '),
    help,
  ])
  return `${head()}\n${table(['metric', 'type', 'labels', 'meaning'], rows)}\n`
}

function head(): string {
  const names = componentNames()
    .map((name) => `\`${name}\``)
    .join(', ')
  return `# Metrics

Every process serves its metrics for Prometheus at \`/metrics\` on \`OPS_PORT\`, which no public route reaches. This page is
generated from the code by \`npm run generate\`. [deploy/observability](../deploy/observability/README.md) has what reads them: the
scrape configuration, the dashboard and the alerts, whose runbooks are in [runbooks.md](runbooks.md).

- All metrics of the project start with \`skyfolio_\`; \`process_*\` and \`nodejs_*\` (CPU, memory, event loop, garbage collection)
  are those of the usual client for Node. Each has the label \`component\`: ${names}.
- No label has values that a client chooses: routes are patterns, statuses are classes, and nothing names a user or a photo.
- Gauges are read when they are scraped. One that cannot be read within 2.5 seconds is absent and counted in
  \`skyfolio_metrics_unread_total\`; the others are still sent. Replicas report the same values of what they share (outbox, queue,
  consumers, dead letters, photos that wait): use \`max\`, not \`sum\`.
- A scrape costs each process at most two bounded queries of its database (media-worker a third once a minute), one request
  to Redis and two to NATS, besides its readiness checks.
- The duration of \`/api/events\` is that of the stream, which lasts as long as its page is open.
`
}
