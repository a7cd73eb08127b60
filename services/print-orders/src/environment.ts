import { conflict, type Logger, recordAudit } from '@skyfolio/kit'
import { events } from '@skyfolio/proto'
import type { Database, Transaction } from './database.ts'
import type { Partner } from './partner/partner.ts'
import type { Environment } from './partner/types.ts'

/** The environment as administrators see it. */
interface EnvironmentState {
  environment: Environment
  /** Base address of the partner's API; empty where none is configured. */
  baseUrl: string
}

/** The environment of new orders, read from the database each time so that a switch is effective on every replica at once. */
export async function readEnvironment(db: Pick<Transaction, 'partnerEnvironment'>): Promise<Environment> {
  // Not findUnique: Prisma combines concurrent ones into `in`, which a boolean does not have.
  const row = await db.partnerEnvironment.findFirst()
  return row?.environment === 'production' ? 'production' : 'sandbox'
}

export function describeEnvironment(partner: Partner, environment: Environment): EnvironmentState {
  return { environment, baseUrl: partner.baseUrl(environment) ?? '' }
}

/** Whether prints can be ordered now, for the public configuration. */
export async function readPrintingStatus(
  db: Database,
  partner: Partner,
): Promise<{ available: boolean; sandbox: boolean }> {
  const environment = await readEnvironment(db)
  return { available: partner.configured(environment), sandbox: environment === 'sandbox' }
}

interface SwitchDeps {
  db: Database
  partner: Partner
  logger: Logger
  onCommit(): void
}

/**
 * Chooses the environment of new orders; orders that exist keep theirs.
 * @throws AppError 409 when the environment is not configured
 */
export async function switchEnvironment(
  { db, partner, logger, onCommit }: SwitchDeps,
  { environment, userId }: { environment: Environment; userId: number },
): Promise<EnvironmentState> {
  const before = await readEnvironment(db)
  if (environment === before) return describeEnvironment(partner, environment)
  if (!partner.configured(environment)) throw conflict(notConfigured(environment), 'partner_not_configured')
  await db.$transaction(async (tx) => {
    await tx.$executeRaw`
      UPDATE partner_environment SET environment = ${environment}, changed_by = ${userId}, changed_at = now()`
    await recordAudit(tx, events.ordersAuditRecorded, {
      actorId: userId,
      action: 'environment.changed',
      detail: `${before} to ${environment}`,
    })
  })
  onCommit()
  logger.warn({ from: before, to: environment, userId }, 'partner environment switched')
  return describeEnvironment(partner, environment)
}

function notConfigured(environment: Environment): string {
  const variable = environment === 'production' ? 'PARTNER_PRODUCTION_URL' : 'PARTNER_SANDBOX_URL'
  return `The ${environment} environment is not configured. Set ${variable}, PARTNER_API_KEY and PARTNER_AFFILIATE_ID first.`
}
