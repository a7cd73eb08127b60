import { fileURLToPath } from 'node:url'
import { createLogger, writeOpenApi } from '@skyfolio/kit'
import { buildApp } from '../src/app.ts'
import type { FoldersDeps } from '../src/deps.ts'

// Describing the routes calls none of them, so nothing behind them is needed.
const logger = createLogger('folders', 'silent')
const app = await buildApp({ logger, identityKeys: ['x'.repeat(32)] } as FoldersDeps)
await writeOpenApi(app, fileURLToPath(new URL('../openapi.json', import.meta.url)))
