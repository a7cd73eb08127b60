import { metrics } from './metrics.ts'

const up = metrics.gauge('skyfolio_connection_up', 'Whether a connection of this process is up (1) or not (0)', [
  'server',
  'connection',
])

/** Reports whether a connection is up. */
export function measureConnection(server: 'redis' | 'nats', connection: string, isUp: () => boolean): void {
  metrics.onScrape(`connection ${server} ${connection}`, () => [[up, isUp() ? 1 : 0, { server, connection }]])
}
