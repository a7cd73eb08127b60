import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from './client.ts'
import { settingsQuery } from './queries.ts'
import type { AccountSettings } from './types.ts'

const MUTATION_KEY = ['save-settings']

/**
 * Saves settings one request after the other and shows them at once. A failed change rolls back; `onFailure` gets what tries it
 * again. The server's answer is shown after the last one, so that it never undoes a later choice.
 */
export function useSaveSettings(onFailure: (error: Error, retry: () => void) => void) {
  const client = useQueryClient()
  const save = useMutation({
    mutationKey: MUTATION_KEY,
    scope: { id: 'settings' },
    mutationFn: (body: Partial<AccountSettings>) => api('put', '/api/user/settings', { body }),
    onMutate: async (changes: Partial<AccountSettings>) => {
      const before = client.getQueryData(settingsQuery.queryKey)
      await showSettings(client, changes)
      return before
    },
    onSuccess: async (saved) => {
      if (isLast()) await showSettings(client, saved)
    },
    onError: async (error, changes, before) => {
      if (before) await showSettings(client, undone(changes, before))
      if (isLast()) void client.invalidateQueries({ queryKey: settingsQuery.queryKey })
      onFailure(error, () => save.mutate(changes))
    },
  })
  const isLast = () => client.isMutating({ mutationKey: MUTATION_KEY }) === 1
  return save
}

/** Shows settings before the server has them. A read that started earlier does not show the old ones again. */
async function showSettings(client: QueryClient, changes: Partial<AccountSettings>): Promise<void> {
  const { queryKey } = settingsQuery
  await client.cancelQueries({ queryKey })
  client.setQueryData(queryKey, (known) => known && { ...known, ...changes })
}

function undone(changes: Partial<AccountSettings>, before: AccountSettings): Partial<AccountSettings> {
  return Object.fromEntries(Object.keys(changes).map((name) => [name, before[name as keyof AccountSettings]]))
}
