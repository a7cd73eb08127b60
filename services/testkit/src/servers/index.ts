export { cacheDirectory } from './fetch.ts'
export { findProgram, isExecutable } from './find.ts'
export { findMinio, MINIO_CREDENTIALS, minioProgram, pingMinio, startMinio } from './minio.ts'
export { findNats, pingNats, startNats } from './nats.ts'
export { type PostgresOptions, pingPostgres, startPostgres } from './postgres.ts'
export {
  freePort,
  isFree,
  makeDirectory,
  type RunningServer,
  type StartOptions,
  startProcess,
  type TestServer,
  type TestServerOptions,
  writePrivateFile,
} from './process.ts'
export { cpuSeconds, peakMemory, resetPeakMemory } from './process-usage.ts'
export { findRedis, pingRedis, startRedis } from './redis.ts'
export { giveFolder, unprivilegedUser } from './unprivileged-user.ts'
export { startVersityGw } from './versitygw.ts'

/** The images of the servers, where they run in containers: in docker-compose.yml and in tests. */
export const SERVER_IMAGES = {
  postgres: 'postgres:17',
  redis: 'redis:7.4',
  nats: 'nats:2.12-alpine',
  minio: 'quay.io/minio/minio:RELEASE.2025-09-07T16-13-09Z',
} as const
