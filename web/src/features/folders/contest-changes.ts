import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { contestQuery, invitationsQuery } from '../../api/contests.ts'
import { folderQuery } from '../../api/queries.ts'
import type { ContestFields, Invitation } from '../../api/types.ts'
import { toast, toastFailure } from '../../components/ui/toast.tsx'
import { countOf } from '../../lib/format.ts'
import { hasStatus } from '../../lib/http.ts'

/** Changes a contest. Callers say what fails. */
export function useSaveContest(folderId: number) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (fields: ContestFields) =>
      api('put', '/api/folders/{id}/contest', { path: { id: folderId }, body: fields }),
    onSuccess: async (contest) => {
      const { queryKey } = contestQuery(folderId)
      await client.cancelQueries({ queryKey }) // An earlier response must not overwrite the change.
      client.setQueryData(queryKey, contest)
      // Times also open and close the folder's voting, and who votes decides which ballots are told.
      client.invalidateQueries(folderQuery(folderId))
      for (const key of ['voters', 'voting-log']) client.invalidateQueries({ queryKey: [key, folderId] })
    },
  })
}

/** Makes an invitation for each of the names. Its form says what fails. */
export function useInvite(folderId: number) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (names: string[]) =>
      api('post', '/api/folders/{id}/invitations', { path: { id: folderId }, body: { names } }),
    onSuccess: async (made) => {
      await changeInvitations(client, folderId, (known) => [...known, ...made])
      toast({ title: `${countOf(made.length, 'invitation')} made` })
    },
  })
}

/** Withdraws an invitation with its ballot. One that is gone already is a success. */
export function useWithdrawInvitation(folderId: number, { id, name }: Invitation) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () =>
      api('delete', '/api/folders/{id}/invitations/{invitationId}', { path: { id: folderId, invitationId: id } }).catch(
        (error: unknown) => {
          if (!hasStatus(error, 404)) throw error
        },
      ),
    onSuccess: async () => {
      await changeInvitations(client, folderId, (known) => known.filter((invitation) => invitation.id !== id))
      for (const key of ['rankings', 'voters', 'voting-log']) client.invalidateQueries({ queryKey: [key, folderId] })
      toast({ title: 'Invitation withdrawn', description: `That of ${name} does not work any more.` })
    },
    onError: (error) => toastFailure('Failed to withdraw the invitation', error),
  })
}

/** Shows what became of the invitations, then reads them again. */
async function changeInvitations(client: QueryClient, folderId: number, change: (known: Invitation[]) => Invitation[]) {
  const { queryKey } = invitationsQuery(folderId)
  await client.cancelQueries({ queryKey })
  client.setQueryData(queryKey, (known) => known && change(known))
  void client.invalidateQueries({ queryKey })
}
