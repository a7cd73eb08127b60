import { useQueryClient } from '@tanstack/react-query'
import { changeUser, deleteUser, restoreUser, sendPasswordReset, type UserChanges } from '../../api/admin.ts'
import { userQuery } from '../../api/queries.ts'
import type { ManagedUser } from '../../api/types.ts'
import { toast, toastFailure } from '../../components/ui/toast.tsx'
import { useAdminMutation } from './admin-parts.tsx'
import { dayOf, isErasing } from './user-texts.ts'

type ChangedUser = Pick<ManagedUser, 'id' | 'username'>

/** Saves changes of a user. The dialog shows why it failed. */
export function useChangeUser(user: ChangedUser) {
  const client = useQueryClient()
  return useAdminMutation({
    run: (changes: UserChanges) => changeUser(client, user.id, changes),
    onSuccess: (changed) => {
      const description = `${changed.username} ${changed.disabled ? 'is disabled' : 'was changed'}.`
      toast({ title: 'User updated', description })
      // The own name is in the top bar.
      if (client.getQueryData(userQuery.queryKey)?.id === user.id) void client.invalidateQueries(userQuery)
    },
  })
}

export function useSendPasswordReset({ id, username }: ChangedUser) {
  return useAdminMutation({
    run: () => sendPasswordReset(id),
    onSuccess: () => toast({ title: 'Password reset sent', description: `${username} gets a mail with a link.` }),
    onError: (error) => toastFailure('Failed to send the password reset', error),
  })
}

export function useDeleteUser({ id, username }: ChangedUser, onErasing: () => void) {
  const client = useQueryClient()
  return useAdminMutation({
    run: () => deleteUser(client, id),
    onSuccess: (deletesAt) => {
      const erasing = isErasing({ deletesAt })
      toast({
        title: 'Deletion requested',
        description: erasing
          ? `The account of ${username} is being erased.`
          : `The account of ${username} is erased on ${dayOf(deletesAt)}.`,
      })
      if (erasing) onErasing()
    },
    onError: (error) => toastFailure('Failed to delete the account', error),
  })
}

export function useRestoreUser({ id, username }: ChangedUser) {
  const client = useQueryClient()
  return useAdminMutation({
    run: () => restoreUser(client, id),
    onSuccess: () => toast({ title: 'Deletion revoked', description: `The account of ${username} stays.` }),
    onError: (error) => toastFailure('Failed to revoke the deletion', error),
  })
}
