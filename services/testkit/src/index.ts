export { createMigratedDatabase, createTestDatabase, type TestDatabase } from './databases/databases.ts'
export { schemaDifferences } from './databases/schema-differences.ts'
export { type DronePhotoOptions, dronePhoto, packagedPhotos } from './photos.ts'
export { type FixtureProcess, runFixture } from './run/fixture-process.ts'
export { identityHeaders, samplePhotos, TEST_IDENTITY_KEYS, testServers, waitFor } from './run/run.ts'
export {
  hasMinio,
  startMinio,
  startNats,
  startNats as testNats,
  startPostgres,
  startRedis,
  startRedis as testRedis,
  startVersityGw,
} from './run/servers.ts'
export { startTcpProxy, type TcpProxy } from './run/tcp-proxy.ts'
export { testDirectory } from './run/temp-directory.ts'
export type { TestServer } from './run/test-server.ts'
export { MINIO_CREDENTIALS } from './servers/index.ts'
