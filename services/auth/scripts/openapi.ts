import { fileURLToPath } from 'node:url'
import { createLogger, writeOpenApi } from '@skyfolio/kit'
import { buildApp } from '../src/app.ts'
import type { AuthDeps } from '../src/deps.ts'

// The document is generated without calling a handler, so the other dependencies are not needed.
const deps = { logger: createLogger('auth', 'silent'), identityKeys: ['x'.repeat(32)] } as AuthDeps
await writeOpenApi(await buildApp(deps), fileURLToPath(new URL('../openapi.json', import.meta.url)))
