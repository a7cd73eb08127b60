import { type App, createLogger } from '@skyfolio/kit'
import { buildApp } from '../src/app.ts'

/** The routes without dependencies: the document is generated without calling a handler. */
export function openApiApp(): Promise<App> {
  const unused = {} as never
  return buildApp({
    logger: createLogger('print-orders', 'silent'),
    identityKeys: ['x'.repeat(32)],
    db: unused,
    partner: unused,
    catalog: unused,
    limits: unused,
    testImageUrl: '',
    images: unused,
    origins: unused,
    submitter: unused,
    onCommit: unused,
    viewAudit: unused,
  })
}
