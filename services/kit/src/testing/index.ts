export { MINIO_ACCESS } from '../servers/index.ts'
export { createMigratedDatabase, createTestDatabase, type TestDatabase } from './databases.ts'
export { testFolder } from './folder.ts'
export { carriedPhotos, type DroneShot, dronePhoto } from './photos.ts'
export { identityHeaders, samplePhotos, TEST_IDENTITY_KEYS, testServers, waitFor } from './run.ts'
export { schemaDifferences } from './schema-differences.ts'
export {
  hasMinio,
  startMinio,
  startNats,
  startNats as testNats,
  startPostgres,
  startRedis,
  startRedis as testRedis,
  startVersityGw,
  type TestServer,
} from './servers.ts'
export { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'
