export { createMigratedDatabase, createTestDatabase, type TestDatabase } from './databases/databases.ts'
export { schemaDifferences } from './databases/schema-differences.ts'
export { type DronePhotoOptions, dronePhoto, packagedPhotos, reportedFiles, samplePhotos } from './photos.ts'
export {
  CALLERS,
  type Caller,
  type Cells,
  cells,
  LATE,
  type Outcome,
  outcomeFor,
  succeeds,
  testRights,
} from './rights.ts'
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
export {
  type FixtureProcess,
  identityHeaders,
  runFixture,
  TEST_IDENTITY_KEYS,
  TEST_LINK_KEYS,
  testServers,
  waitFor,
} from './run/test-helpers.ts'
export { MINIO_CREDENTIALS, type TestServer } from './servers/index.ts'
