import { fileURLToPath } from 'node:url'
import { createLogger, writeOpenApi } from '@skyfolio/kit'
import { buildApp } from '../src/app.ts'
import type { MediaDeps } from '../src/deps.ts'

// Describing the routes calls none of them, so nothing behind them is needed.
const app = await buildApp({ logger: createLogger('media', 'silent'), identityKeys: ['x'.repeat(32)] } as MediaDeps)
await writeOpenApi(app, fileURLToPath(new URL('../openapi.json', import.meta.url)))
