import { join } from 'node:path'
import { freePort, startProcess } from '@skyfolio/testkit/servers'
import { root } from '../../local/paths.ts'

/** The reference: a proxy in front of a handler, both plain `node:http`. */
export interface Pair {
  url: string
  pids: { proxy: number; handler: number }
  stop(): Promise<void>
}

async function start(directory: string, role: 'proxy' | 'handler', ...args: string[]) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  return startProcess({
    name: role,
    command: process.execPath,
    args: [join(root, 'deploy/checks/bench/upload-pair-server.ts'), role, ...args],
    url,
    logFile: join(directory, `${role}.log`),
    stopSignal: 'TERM',
    env: { PORT: String(port) },
    ready: () => fetch(url),
  })
}

export async function startPair(directory: string): Promise<Pair> {
  const handler = await start(directory, 'handler')
  const proxy = await start(directory, 'proxy', handler.url)
  return {
    url: proxy.url,
    pids: { proxy: proxy.pid, handler: handler.pid },
    async stop() {
      await proxy.stop()
      await handler.stop()
    },
  }
}
