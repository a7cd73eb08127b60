import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describeMetrics } from '@skyfolio/kit'
import '@skyfolio/kit/queue'
import '../../gateway/src/limits/limits.ts'
import '../../gateway/src/live/live-events.ts'
import '../../services/auth/src/accounts/passwords.ts'
import '../../services/folders/src/voting/cast-vote.ts'
import '../../services/media/src/processing/backlog.ts'
import '../../services/media/src/processing/processing.ts'
import '../../services/media/src/routes/uploads.ts'
import '../../services/media/src/uploads/slots.ts'
import { table } from './table.ts'

/** The file that `npm run docs:metrics` writes. */
export const metricsFile = fileURLToPath(new URL('../../docs/metrics.md', import.meta.url))

const head = `# Metrics

Every process serves its metrics for Prometheus at \`/metrics\` on \`OPS_PORT\`, which no public route reaches. This page is made
from the code by \`npm run docs:metrics\`. [deploy/observability](../deploy/observability/README.md) has what reads them: the
scrape configuration, the dashboard and the alerts, whose runbooks are in [runbooks.md](runbooks.md).

- All of ours begin with \`skyfolio_\`; \`process_*\` and \`nodejs_*\` (CPU, memory, event loop, garbage collection) are those of
  Node's usual client. Each carries the label \`component\`: \`gateway\`, \`auth\`, \`media\`, \`media-worker\` or \`folders\`.
- No label has values that a client chooses: routes are patterns, statuses are classes, and nothing names a user or a photo.
- Gauges are read when they are asked for. One that cannot be read within 2.5 seconds is absent and counted in
  \`skyfolio_metrics_unread_total\`; the others come without it. Replicas tell the same of what they share (outbox, queue, consumers, dead
  letters, photos that wait): take the \`max\`, not the \`sum\`.
- Reading them costs each process at most two bounded queries of its database, one question to Redis and two to NATS, besides its
  readiness checks.
- The duration of \`/api/events\` is that of the stream, which lasts as long as its page is open.
`

/** The documentation of every metric of our own, as Markdown. */
export function renderMetricsPage(): string {
  const rows = describeMetrics().map(({ name, type, labels, help }) => [
    `\`${name}\``,
    type,
    labels.map((label) => `\`${label}\``).join(', '),
    help,
  ])
  return `${head}\n${table(['metric', 'kind', 'labels', 'meaning'], rows)}\n`
}

if (import.meta.main) await writeFile(metricsFile, renderMetricsPage())
