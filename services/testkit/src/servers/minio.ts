import { findTool } from './find.ts'
import { freePort, makeDirectory, type RunningServer, type StartOptions, startProcess } from './process.ts'

/** The credentials of the S3 servers that `startMinio` and `startVersityGw` start. */
export const MINIO_CREDENTIALS = { accessKey: 'skyfolio', secretKey: 'skyfolio-private-process' }

/** The MinIO program of this machine, or null: it is too large to be fetched automatically (see scripts/fetch-tool.sh). */
export const findMinio = () => findTool('minio')

/** How MinIO runs on these drives, which are directories, with `MINIO_CREDENTIALS`. */
export async function minioProgram(drives: string[], port: number) {
  const command = await findMinio()
  if (!command) throw new Error('MinIO is missing: run services/testkit/scripts/fetch-tool.sh minio (it needs Go).')
  for (const drive of drives) await makeDirectory(drive)
  const url = `http://127.0.0.1:${port}`
  return {
    command,
    args: ['server', ...drives, '--address', `127.0.0.1:${port}`, '--quiet'],
    url,
    env: {
      MINIO_ROOT_USER: MINIO_CREDENTIALS.accessKey,
      MINIO_ROOT_PASSWORD: MINIO_CREDENTIALS.secretKey,
      MINIO_BROWSER: 'off',
      MINIO_UPDATE: 'off',
      // As long as the rule that Skyfolio requests of other servers.
      MINIO_API_STALE_UPLOADS_EXPIRY: '192h',
    },
    ready: () => pingMinio(url),
  }
}

/** Starts MinIO as an S3 server with `MINIO_CREDENTIALS`. */
export async function startMinio(options: StartOptions): Promise<RunningServer> {
  const program = await minioProgram([options.dataDir], options.port || (await freePort()))
  return startProcess({ ...program, name: 'MinIO', logFile: `${options.dataDir}.log`, stopSignal: 'TERM' })
}

/** Throws unless the server responds and can store. */
export async function pingMinio(url: string): Promise<void> {
  const response = await fetch(`${url}/minio/health/ready`)
  if (!response.ok) throw new Error(`health: ${response.status}`)
  // It says that it is ready before it serves requests: those are then 503, instead of 403 without credentials.
  const request = await fetch(url)
  if (request.status >= 500) throw new Error(`requests: ${request.status}`)
}
