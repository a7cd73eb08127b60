import { fileURLToPath } from 'node:url'
import { createLogger, writeOpenApi } from '@skyfolio/kit'
import { buildApp } from '../src/app.ts'

// Describing the routes calls none of them, so their dependencies are not needed.
const unused = {} as never
const UNREACHABLE = 'http://127.0.0.1:1'
const app = await buildApp({
  logger: createLogger('gateway', 'silent'),
  sessions: unused,
  activity: unused,
  live: unused,
  identityKeys: ['x'.repeat(32)],
  upstreams: { auth: UNREACHABLE, media: UNREACHABLE, folders: UNREACHABLE, 'print-orders': UNREACHABLE },
  publicOrigin: UNREACHABLE,
  allowedOrigins: [],
  trustedProxies: [],
  limits: unused,
  uploadLimits: unused,
  pictureCacheBytes: 0,
  publicStoreOrigin: null,
  mapLayers: [],
  accountDeletionDays: 7,
  features: unused,
  legalTexts: unused,
  webRoot: fileURLToPath(new URL('..', import.meta.url)),
})
await writeOpenApi(app, fileURLToPath(new URL('../openapi.json', import.meta.url)))
