import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, type Page } from '../../api/client.ts'
import type { Folder, Voter } from '../../api/types.ts'
import { toast, toastFailure } from '../../components/ui/toast.tsx'
import { countOf } from '../../lib/format.ts'
import { cacheFolder } from '../../photos/folder-changes.ts'
import { voterName } from './voting-texts.ts'

/** Opens or closes the voting of a folder. The dialog that confirms the closing stays open on failure. */
export function useSetVotingOpen(folder: Folder) {
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: (open: boolean) =>
      api('patch', '/api/folders/{id}/voting', { path: { id: folder.id }, body: { open } }),
    onSuccess: (changed) => {
      cacheFolder(client, changed)
      invalidateVoting(client, folder.id)
      toast({ title: changed.votingOpen ? 'Voting opened' : 'Voting closed' })
    },
    onError: (error, open) =>
      open
        ? toastFailure('Failed to open the voting', error, () => change.mutate(true))
        : toastFailure('Failed to close the voting', error),
  })
  return change
}

/** Removes all votes of a folder. The confirmation dialog stays open on failure. */
export function useResetVotes(folderId: number) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => api('delete', '/api/folders/{id}/votes', { path: { id: folderId } }),
    onSuccess: () => {
      invalidateVoting(client, folderId)
      toast({ title: 'Votes reset' })
    },
    onError: (error) => toastFailure('Failed to reset the votes', error),
  })
}

/** Excludes a ballot from the standings or restores it; the toast offers Undo. */
export function useSetExcluded(folderId: number) {
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: ({ voter, excluded }: Pick<Voter, 'voter' | 'excluded'>) =>
      api('patch', '/api/folders/{id}/voters/{voter}', { path: { id: folderId, voter }, body: { excluded } }),
    onSuccess: async (changed) => {
      await client.cancelQueries({ queryKey: ['voters', folderId] }) // An earlier response must not overwrite the change.
      cacheVoter(client, folderId, changed)
      invalidateVoting(client, folderId)
      const back = { voter: changed.voter, excluded: !changed.excluded }
      toast({
        title: changed.excluded ? 'Ballot excluded' : 'Ballot restored',
        description: `${voterName(changed.voter)} ${changed.excluded ? 'does not count any more.' : 'counts again.'}`,
        action: { label: 'Undo', onSelect: () => change.mutate(back) },
      })
    },
    onError: (error, exclusion) =>
      toastFailure(exclusion.excluded ? 'Failed to exclude the ballot' : 'Failed to restore the ballot', error, () =>
        change.mutate(exclusion),
      ),
  })
  return change
}

/** Excludes all flagged ballots except the owner's, or restores all excluded ones. */
export function useExcludeFlagged(folderId: number) {
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: (excluded: boolean) =>
      api('patch', '/api/folders/{id}/voters', {
        path: { id: folderId },
        body: excluded ? { excluded, flagged: true } : { excluded },
      }),
    onSuccess: ({ changed }, excluded) => {
      invalidateVoting(client, folderId)
      toast({
        title: `${countOf(changed, 'ballot')} ${excluded ? 'excluded' : 'restored'}`,
        description: excluded ? 'Your own ballot is never among them.' : 'They count again.',
        action: excluded && changed > 0 ? { label: 'Restore all', onSelect: () => change.mutate(false) } : undefined,
      })
    },
    onError: (error, excluded) =>
      toastFailure(excluded ? 'Failed to exclude the ballots' : 'Failed to restore the ballots', error),
  })
  return change
}

function cacheVoter(client: QueryClient, folderId: number, changed: Voter): void {
  client.setQueriesData<Page<Voter>>(
    { queryKey: ['voters', folderId] },
    (page) => page && { ...page, items: page.items.map((one) => (one.voter === changed.voter ? changed : one)) },
  )
}

function invalidateVoting(client: QueryClient, folderId: number): void {
  for (const key of ['rankings', 'voters', 'voting-log', 'contest', 'invitations'])
    client.invalidateQueries({ queryKey: [key, folderId] })
}
