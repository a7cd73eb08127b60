import type { Partner } from '../partner/partner.ts'
import { failureError, rejectionSentence } from '../partner/problem.ts'
import type { Environment } from '../partner/types.ts'

export interface CredentialsTest {
  accepted: boolean
  message: string
  /** Images of one order. */
  uploadLimit: number | null
}

/** Whether the partner accepts the configured credentials. @throws AppError 502, 503 or 504 when it does not say */
export async function testCredentials(
  partner: Partner,
  environment: Environment,
  withinMs: number,
): Promise<CredentialsTest> {
  const outcome = await partner.credentials(environment, { withinMs })
  if (outcome.outcome === 'failed') throw failureError(outcome)
  if (outcome.outcome === 'error') return { accepted: false, message: rejectionSentence(outcome), uploadLimit: null }
  return { accepted: true, message: 'Walgreens accepts the credentials.', ...outcome.value }
}
