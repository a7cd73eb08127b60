import type { PrintEnvironment } from '../../api/types.ts'
import { ApiError } from '../../lib/http.ts'

/** What the chosen environment means. */
export const ENVIRONMENT_NOTES: Record<PrintEnvironment, { title: string; text: string }> = {
  sandbox: {
    title: 'Sandbox: nothing is printed',
    text: 'API calls may return error code 112 (API_NOT_ACTIVATED). This is expected in sandbox.',
  },
  production: {
    title: 'Production: real orders',
    text: 'Real orders and payments are processed. Prints are made and wait at the store.',
  },
}

/** 'Failed to update environment', with the server's reason. */
export function updateFailureText(error: unknown): string {
  const reason = error instanceof ApiError ? error.body?.message : undefined
  return reason ? `Failed to update environment. ${reason}` : 'Failed to update environment'
}
