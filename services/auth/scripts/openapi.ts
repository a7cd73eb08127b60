import { fileURLToPath } from 'node:url'
import { createLogger, writeOpenApi } from '@skyfolio/kit'
import { buildApp } from '../src/app.ts'

// The document is generated without calling a handler, so the dependencies are not needed.
const unused = {} as never
const app = await buildApp({
  logger: createLogger('auth', 'silent'),
  identityKeys: ['x'.repeat(32)],
  db: unused,
  pool: unused,
  accounts: unused,
  profiles: unused,
  addresses: unused,
  passwordChanges: unused,
  deletions: unused,
  sessions: unused,
  devices: unused,
  administration: unused,
  secureCookies: false,
})
await writeOpenApi(app, fileURLToPath(new URL('../openapi.json', import.meta.url)))
