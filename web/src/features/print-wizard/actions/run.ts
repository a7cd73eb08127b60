import type { QueryClient } from '@tanstack/react-query'
import { refreshPrinting } from '../../../api/print-orders.ts'
import { checkSession } from '../../../api/query-client.ts'
import { ApiError, concernsSession } from '../../../lib/http.ts'
import { type WizardState, withError } from '../wizard-state.ts'
import { type Activity, activity, currentSession, type Session } from '../wizard-store.ts'

interface Work {
  busy: NonNullable<Activity['busy']>
  /** The sentence about a failure of which the server says nothing. */
  failed: string
  /** Aborts when the work has given up its turn. */
  stopped?: AbortSignal
}

/** Does work that the dialog waits for, one at a time. A failure is shown in the banner. */
export async function run(
  client: QueryClient,
  { busy, failed, stopped }: Work,
  work: (session: Session, order: WizardState) => Promise<void>,
): Promise<void> {
  const session = currentSession()
  const order = session.order()
  if (!order || activity.get().busy) return
  session.change(withError, null)
  session.setBusy(busy)
  try {
    await work(session, order)
  } catch (error) {
    reportError(client, session, error, failed)
  } finally {
    if (!stopped?.aborted) session.setBusy(null)
  }
}

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
