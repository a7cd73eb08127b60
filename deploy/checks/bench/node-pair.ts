import { join } from 'node:path'
import { freePort, type RunningServer, startProcess } from '@skyfolio/testkit/servers'
import { root } from '../../local/paths.ts'
import { cleanups } from '../harness.ts'

/** Two Node processes, one in front of the other, which are the reference of a benchmark. */
export interface NodePair<Back extends string, Front extends string> {
  url: string
  pids: Record<Back | Front, number>
}

/** Starts a script of the repository as a server; its arguments are its role and a value. It ends with the check. */
async function start(script: string, folder: string, role: string, value: string): Promise<RunningServer> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const server = await startProcess({
    name: role,
    command: process.execPath,
    args: [join(root, script), role, value],
    url,
    logFile: join(folder, `${role}.log`),
    stopSignal: 'TERM',
    env: { PORT: String(port) },
    ready: () => fetch(url),
  })
  cleanups.push(() => server.stop())
  return server
}

/** Starts the script in both roles: the one behind with a value, the one in front with the address of the other. */
export async function startNodePair<Back extends string, Front extends string>(
  script: string,
  folder: string,
  back: Back,
  front: Front,
  value = '',
): Promise<NodePair<Back, Front>> {
  const behind = await start(script, folder, back, value)
  const { url, pid } = await start(script, folder, front, behind.url)
  return { url, pids: { [back]: behind.pid, [front]: pid } as Record<Back | Front, number> }
}
