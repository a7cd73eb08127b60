import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { endOtherSessions, endSession, sessionsQuery } from '../../api/account.ts'
import type { AccountSession } from '../../api/types.ts'
import { toast } from '../../components/ui/toast.tsx'
import { ApiError, errorMessage, hasStatus, isRetryable } from '../../lib/http.ts'

/** Signs out one device; one that is already signed out is a success. */
export function useEndSession(onEnded: () => void) {
  const client = useQueryClient()
  const end = useMutation({
    mutationFn: ({ id }: AccountSession) =>
      endSession(id).catch((error: unknown) => {
        if (!hasStatus(error, 404)) throw error
      }),
    onSuccess: async (_, ended) => {
      await keepSessions(client, ({ id }) => id !== ended.id)
      onEnded()
      toast({ title: 'Signed out', description: `${ended.device} has to sign in again.` })
    },
    onError: (error, session) => showFailure('Failed to sign out the device', error, () => end.mutate(session)),
  })
  return end
}

/** Signs out all devices but this one. The confirmation stays open on failure. */
export function useEndOtherSessions(onEnded: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: endOtherSessions,
    onSuccess: async () => {
      onEnded()
      await keepSessions(client, ({ current }) => current)
      toast({ title: 'Signed out everywhere else', description: 'Only this device is still signed in.' })
    },
    onError: (error) => showFailure('Failed to sign out the devices', error),
  })
}

/** Shows the list without those that ended, then reads it again. */
async function keepSessions(client: QueryClient, isKept: (session: AccountSession) => boolean): Promise<void> {
  const { queryKey } = sessionsQuery
  await client.cancelQueries({ queryKey }) // An earlier response must not show them again.
  client.setQueryData(queryKey, (sessions) => sessions?.filter(isKept))
  void client.invalidateQueries({ queryKey })
}

function showFailure(title: string, error: unknown, onRetry?: () => void): void {
  const afterSeconds = error instanceof ApiError ? error.retryAfter : 0
  const action = onRetry && isRetryable(error) ? { label: 'Retry', onSelect: onRetry, afterSeconds } : undefined
  toast({ title, description: errorMessage(error), tone: 'danger', action })
}
