import { fileURLToPath } from 'node:url'
import { writeOpenApi } from '@skyfolio/kit'
import { openApiApp } from './openapi-app.ts'

await writeOpenApi(await openApiApp(), fileURLToPath(new URL('../openapi.json', import.meta.url)))
