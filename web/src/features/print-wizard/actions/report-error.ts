import type { QueryClient } from '@tanstack/react-query'
import { refreshPrinting } from '../../../api/print-orders.ts'
import { checkSession } from '../../../api/query-client.ts'
import { ApiError, concernsSession } from '../../../lib/http.ts'
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
  if (concernsSession(error)) {
    void checkSession(client).then((isUsable) => isUsable && session.change(withError, fallback))
    return
  }
  if (codeOf(error) === 'partner_not_configured') refreshPrinting(client)
  session.change(withError, sentenceOf(error, fallback))
}
