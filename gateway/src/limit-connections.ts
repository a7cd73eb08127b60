import { type App, createShares, proxyTrust, siteOf } from '@skyfolio/kit'
import { proxyMetrics } from './proxy/proxy-metrics.ts'

/** Closes what exceeds `maxConnections`, of which one site has a quarter. Proxies carry those of many clients and are not counted. */
export function limitConnections(app: App, maxConnections: number, trustedProxies: string[]): void {
  const shares = createShares(maxConnections)
  const isProxy = proxyTrust(trustedProxies)
  app.server.on('connection', (socket) => {
    const { remoteAddress } = socket
    if (remoteAddress === undefined || isProxy(remoteAddress, 0)) return
    const release = shares.tryAcquire([siteOf(remoteAddress)])
    if (release) {
      socket.once('close', release)
      return
    }
    proxyMetrics.rejectedConnections.inc()
    socket.destroy()
  })
}
