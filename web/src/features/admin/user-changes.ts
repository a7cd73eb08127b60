import { useQueryClient } from '@tanstack/react-query'
import { changeUser, deleteUser, restoreUser, sendPasswordReset, type UserChanges } from '../../api/admin.ts'
import { userQuery } from '../../api/queries.ts'
import type { ManagedUser } from '../../api/types.ts'
import { toast } from '../../components/ui/toast.tsx'
import { errorMessage } from '../../lib/http.ts'
import { useAdminMutation } from './use-admin-mutation.ts'
import { dayOf, isErasing } from './user-texts.ts'

/** Saves changes of a user. The dialog shows why it failed. */
export function useChangeUser(user: Pick<ManagedUser, 'id' | 'username'>) {
  const client = useQueryClient()
  return useAdminMutation({
    run: (changes: UserChanges) => changeUser(client, user.id, changes),
    onSuccess: (changed) => {
      toast({ title: 'User updated', description: describeState(changed) })
      // The own name is in the top bar.
      if (client.getQueryData(userQuery.queryKey)?.id === user.id) void client.invalidateQueries(userQuery)
    },
  })
}

function describeState({ username, disabled }: ManagedUser): string {
  return disabled ? `${username} is disabled.` : `${username} was changed.`
}

export function useSendPasswordReset({ id, username }: Pick<ManagedUser, 'id' | 'username'>) {
  return useAdminMutation({
    run: () => sendPasswordReset(id),
    onSuccess: () => toast({ title: 'Password reset sent', description: `${username} gets a mail with a link.` }),
    onError: failureToast('Failed to send the password reset'),
  })
}

export function useDeleteUser({ id, username }: Pick<ManagedUser, 'id' | 'username'>, onErasing: () => void) {
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
    onError: failureToast('Failed to delete the account'),
  })
}

export function useRestoreUser({ id, username }: Pick<ManagedUser, 'id' | 'username'>) {
  const client = useQueryClient()
  return useAdminMutation({
    run: () => restoreUser(client, id),
    onSuccess: () => toast({ title: 'Deletion revoked', description: `The account of ${username} stays.` }),
    onError: failureToast('Failed to revoke the deletion'),
  })
}

function failureToast(title: string): (error: unknown) => void {
  return (error) => toast({ title, description: errorMessage(error), tone: 'danger' })
}
