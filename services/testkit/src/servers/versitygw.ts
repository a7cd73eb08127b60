import { join } from 'node:path'
import { findTool } from './find.ts'
import { MINIO_CREDENTIALS } from './minio.ts'
import { freePort, makeDirectory, type RunningServer, type StartOptions, startProcess } from './process.ts'

/** Starts versitygw as an S3 server over a directory, with `MINIO_CREDENTIALS`. */
export async function startVersityGw(options: StartOptions): Promise<RunningServer> {
  const command = await findTool('versitygw')
  if (!command)
    throw new Error('versitygw is missing: run services/testkit/scripts/fetch-tool.sh versitygw (it needs Go).')
  const port = options.port || (await freePort())
  const url = `http://127.0.0.1:${port}`
  const objects = join(options.dataDir, 'objects')
  const attributes = join(options.dataDir, 'attributes')
  for (const folder of [objects, attributes]) await makeDirectory(folder)
  return startProcess({
    name: 'versitygw',
    command,
    // Not every file system of a test machine keeps extended attributes.
    args: [
      ...['--port', `127.0.0.1:${port}`, '--health', '/health', '--keep-alive', '--quiet'],
      ...['posix', '--sidecar', attributes, objects],
    ],
    url,
    logFile: `${options.dataDir}.log`,
    stopSignal: 'TERM',
    env: { ROOT_ACCESS_KEY: MINIO_CREDENTIALS.accessKey, ROOT_SECRET_KEY: MINIO_CREDENTIALS.secretKey },
    ready: async () => {
      const response = await fetch(`${url}/health`)
      if (!response.ok) throw new Error(`health: ${response.status}`)
    },
  })
}
