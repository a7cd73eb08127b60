import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router-dom'
import { deleteAccount, restoreAccount } from '../../api/account.ts'
import { configQuery, userQuery } from '../../api/queries.ts'
import { toast } from '../../components/ui/toast.tsx'
import { mayLeave } from '../../lib/leave-guard.ts'
import { tellAccountChanged } from './account-channel.ts'

/** Router state of the page that follows the request. */
export interface DeletedState {
  deletesAt: string
}

/** Requests the deletion, forgets what was read, and leads to the page that says what happens now. */
export function useDeleteAccount() {
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    /** Null when the user decides to stay because of unfinished work. */
    mutationFn: async (password: string) => ((await mayLeave()) ? deleteAccount(password) : null),
    onSuccess: async (requested) => {
      if (!requested) return
      const state: DeletedState = { deletesAt: requested.deletesAt }
      await navigate('/account-deleted', { replace: true, state })
      await client.cancelQueries({ queryKey: userQuery.queryKey })
      client.setQueryData(userQuery.queryKey, null)
      const kept = [userQuery.queryKey[0], configQuery.queryKey[0]]
      client.removeQueries({ predicate: ({ queryKey }) => !kept.some((key) => key === queryKey[0]) })
      tellAccountChanged()
    },
  })
}

/** Takes the deletion back. After a refusal the account is read again: an administrator may have requested it since. */
export function useRestoreAccount() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: restoreAccount,
    onSuccess: async () => {
      await client.invalidateQueries()
      tellAccountChanged()
      document.getElementById('main')?.focus({ preventScroll: true })
      toast({ title: 'Your account is kept', description: 'Your public folders are visible again.' })
    },
    onError: () => client.invalidateQueries({ queryKey: userQuery.queryKey }),
  })
}
