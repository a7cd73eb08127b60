import { config } from 'zod/mini'

// Otherwise zod tries `new Function`, which our Content-Security-Policy forbids and browsers report.
config({ jitless: true })

export * as z from 'zod/mini'
