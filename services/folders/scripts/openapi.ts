import { fileURLToPath } from 'node:url'
import { createLogger, writeOpenApi } from '@skyfolio/kit'
import { buildApp } from '../src/app.ts'

// Describing the routes calls none of them, so nothing behind them is needed.
const unused = {} as never
const app = await buildApp({
  logger: createLogger('folders', 'silent'),
  identityKeys: ['x'.repeat(32)],
  pool: unused,
  database: unused,
  folders: unused,
  sharePages: unused,
  ballots: unused,
  voters: unused,
  voting: unused,
})
await writeOpenApi(app, fileURLToPath(new URL('../openapi.json', import.meta.url)))
