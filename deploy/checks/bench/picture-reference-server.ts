import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort, type RunningServer, startProcess } from '@skyfolio/testkit/servers'
import { root } from '../../local/paths.ts'

export interface Reference {
  port: number
  /** What it serves: `<files>/x` is at `/x`. */
  files: string
  pids: { proxy: number; static: number }
  stop(): Promise<void>
}

/** Starts one of the reference's processes on a free port. */
async function start(
  directory: string,
  role: 'static' | 'proxy',
  value: string,
): Promise<RunningServer & { port: number }> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const server = await startProcess({
    name: role,
    command: process.execPath,
    args: [join(root, 'deploy/checks/bench/picture-reference.ts'), role, value],
    url,
    logFile: join(directory, `${role}-${port}.log`),
    stopSignal: 'TERM',
    env: { PORT: String(port) },
    ready: () => fetch(url),
  })
  return { ...server, port }
}

/** Starts @fastify/http-proxy in front of a port. */
export const startProxy = (directory: string, upstreamPort: number) => start(directory, 'proxy', String(upstreamPort))

/** Starts @fastify/static behind @fastify/http-proxy, on files in a new directory. */
export async function startReference(directory: string): Promise<Reference> {
  const files = join(directory, 'files')
  await mkdir(files)
  const upstream = await start(directory, 'static', files)
  const proxy = await startProxy(directory, upstream.port)
  return {
    port: proxy.port,
    files,
    pids: { proxy: proxy.pid, static: upstream.pid },
    async stop() {
      await proxy.stop()
      await upstream.stop()
    },
  }
}
