import { join } from 'node:path'
import { freePort, MINIO_CREDENTIALS } from '@skyfolio/testkit/servers'
import { type ObjectServer, startObjectServer } from './inject.ts'
import { cleanups } from './runner.ts'

export interface S3Store {
  objects: ObjectServer
  url: string
  /** For a system that uses it. */
  settings: Record<string, string>
}

/** Starts an empty MinIO for the run, which stops it at its end. */
export async function startS3Store(dataDir: string): Promise<S3Store> {
  const port = await freePort()
  const objects = await startObjectServer(join(dataDir, 'minio'), port)
  cleanups.push(() => objects.stop())
  const url = `http://127.0.0.1:${port}`
  const settings = {
    S3_ENDPOINT: url,
    S3_BUCKET: 'skyfolio',
    S3_ACCESS_KEY: MINIO_CREDENTIALS.accessKey,
    S3_SECRET_KEY: MINIO_CREDENTIALS.secretKey,
  }
  return { objects, url, settings }
}
