import type { QueryClient } from '@tanstack/react-query'
import { refreshPrinting } from '../../../api/print-orders.ts'
import { userQuery } from '../../../api/queries.ts'
import { ApiError, hasStatus } from '../../../lib/http.ts'
import { withError } from '../wizard-state.ts'
import type { Session } from '../wizard-store.ts'

/** The server's kind of error; empty for all others. */
export function codeOf(error: unknown): string {
  return error instanceof ApiError ? (error.body?.code ?? '') : ''
}

/** The server's sentence about an error, or the wizard's own. */
export function sentenceOf(error: unknown, fallback: string): string {
  if (codeOf(error) === 'partner_not_configured') return 'Service unavailable'
  return error instanceof ApiError && error.body ? error.body.message : fallback
}

/** Shows an error in the dialog's banner. The end of the session has a notice of its own. */
export function reportError(client: QueryClient, session: Session, error: unknown, fallback: string): void {
  if (hasStatus(error, 401)) {
    client.setQueryData(userQuery.queryKey, null)
    return
  }
  if (codeOf(error) === 'partner_not_configured') refreshPrinting(client)
  session.change(withError, sentenceOf(error, fallback))
}
