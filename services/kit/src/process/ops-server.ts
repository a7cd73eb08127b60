import { createServer, type ServerResponse } from 'node:http'
import { type Measurement, metrics } from '../telemetry/metrics.ts'
import { metricsText } from '../telemetry/telemetry.ts'
import type { Lifetime } from './lifetime.ts'

const checks = metrics.gauge('skyfolio_check_ok', 'Whether a readiness check passes (1) or not (0)', ['check'])

function send(response: ServerResponse, status: number, body: string, type = 'application/json'): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body)
}

async function respond(life: Lifetime, path: string | undefined, response: ServerResponse): Promise<void> {
  if (path === '/livez') return send(response, 200, '{"ok":true}')
  if (path === '/readyz') {
    const readiness = await life.health.readiness()
    return send(response, readiness.ok ? 200 : 503, JSON.stringify(readiness))
  }
  const metrics = path === '/metrics' ? await metricsText() : undefined
  if (metrics) return send(response, 200, metrics.text, metrics.contentType)
  return send(response, 404, '{"code":"not_found","message":"There is nothing here."}')
}

/**
 * `::` is all addresses of both families. Without a host Node listens on them too, and takes 0.0.0.0 where the kernel has no IPv6;
 * with `::` it would then fail.
 */
export function hostToListen(host: string): string {
  return host === '::' ? '' : host
}

async function readChecks(life: Lifetime): Promise<Measurement[]> {
  const results = Object.entries((await life.health.readiness()).checks)
  return results.map(([check, result]) => [checks, result === 'ok' ? 1 : 0, { check }])
}

/**
 * Serves /livez, /readyz and /metrics. Call it first in `main`, so that it responds while the rest starts, and stops
 * last.
 */
export async function startOps(life: Lifetime, { host, port }: { host: string; port: number }): Promise<void> {
  metrics.onScrape('checks', () => readChecks(life))
  const server = createServer((request, response) => {
    respond(life, request.url?.split('?')[0], response).catch((error) => {
      life.logger.error({ err: error }, 'ops request failed')
      send(response, 500, '{"code":"internal","message":"Something went wrong. Please try again."}')
    })
  })
  const listening = Promise.withResolvers<void>()
  server.once('error', listening.reject)
  server.listen(port, hostToListen(host), listening.resolve)
  await listening.promise
  life.defer('ops', () => {
    const closed = Promise.withResolvers<void>()
    server.close(() => closed.resolve())
    server.closeAllConnections()
    return closed.promise
  })
}
