import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { saveProfile, sendConfirmationMail } from '../../api/account.ts'
import { userQuery } from '../../api/queries.ts'
import type { User } from '../../api/types.ts'
import { toast } from '../../components/ui/toast.tsx'
import { ApiError, errorMessage, hasStatus, isRetryable } from '../../lib/http.ts'
import { changesOf, discardEdits, type FieldErrors, type ProfileValues } from './profile-draft.ts'

interface SaveProfile {
  user: User
  values: ProfileValues
}

/** Saves the profile and shows a toast. The caller shows the messages about fields. */
export function useSaveProfile() {
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: ({ user, values }: SaveProfile) => saveProfile(changesOf(user, values)),
    onSuccess: async (changed, { user, values }) => {
      await showUser(client, changed)
      discardEdits(values)
      const newAddress = changed.email !== user.email ? changed.email : null
      toast({ title: 'Profile updated', description: newAddress ? `Your address is now ${newAddress}.` : undefined })
    },
    onError: (error, variables) => {
      toast({
        title: 'Error updating profile',
        description: errorMessage(error),
        tone: 'danger',
        action: isRetryable(error) ? retry(error, () => save.mutate(variables)) : undefined,
      })
    },
  })
  return save
}

/** Shows the changed account. A read that started earlier does not show the old one again. */
async function showUser(client: QueryClient, user: User): Promise<void> {
  await client.cancelQueries({ queryKey: userQuery.queryKey })
  client.setQueryData(userQuery.queryKey, user)
}

/** The server's messages about fields. */
export function fieldErrors(error: unknown): FieldErrors {
  return (error instanceof ApiError && error.body?.fields) || {}
}

/** Sends the confirmation mail again and says what became of it. */
export function useResendConfirmation(address: string) {
  const client = useQueryClient()
  const resend = useMutation({
    mutationFn: sendConfirmationMail,
    onSuccess: () =>
      toast({ title: 'Confirmation mail sent', description: `Open the link in the mail to ${address}.` }),
    onError: (error) => {
      // Confirmed meanwhile, in another tab.
      if (hasStatus(error, 409)) return void client.invalidateQueries({ queryKey: userQuery.queryKey })
      toast({
        title: 'The mail could not be sent',
        description: errorMessage(error),
        tone: 'danger',
        action: isRetryable(error) ? retry(error, () => resend.mutate()) : undefined,
      })
    },
  })
  return resend
}

/** The Retry button of a toast, after the server's minimum delay. */
function retry(error: unknown, onSelect: () => void) {
  return { label: 'Retry', onSelect, afterSeconds: error instanceof ApiError ? error.retryAfter : 0 }
}
