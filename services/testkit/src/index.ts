export { createMigratedDatabase, createTestDatabase, type TestDatabase } from './databases/databases.ts'
export { schemaDifferences } from './databases/schema-differences.ts'
export { type DronePhotoOptions, dronePhoto, packagedPhotos } from './photos.ts'
export { compareRoutes, routesOf } from './routes.ts'
export { type FixtureProcess, runFixture } from './run/fixture-process.ts'
export { identityHeaders, TEST_IDENTITY_KEYS, TEST_LINK_KEYS } from './run/identity-headers.ts'
export { testServers } from './run/shared-servers.ts'
export { mountSmallFileSystem, type SmallFileSystem } from './run/small-file-system.ts'
export {
  hasMinio,
  startMinio,
  startNats,
  startPostgres,
  startRedis,
  startVersityGw,
} from './run/start-servers.ts'
export { startTcpProxy, type TcpProxy } from './run/tcp-proxy.ts'
export { testDirectory } from './run/temp-directory.ts'
export type { TestServer } from './run/test-server.ts'
export { waitFor } from './run/wait-for.ts'
export { samplePhotos } from './sample-photos.ts'
export { MINIO_CREDENTIALS } from './servers/index.ts'
