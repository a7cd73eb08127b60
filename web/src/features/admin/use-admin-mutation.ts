import { useQueryClient } from '@tanstack/react-query'
import { environmentQuery } from '../../api/admin.ts'
import { type GuardedMutation, useGuardedMutation } from '../../api/guarded-mutation.ts'
import { hasStatus } from '../../lib/http.ts'

/** What an administrator does to others or to the installation. Whoever is rejected may have lost the rights: the screen then says so. */
export function useAdminMutation<Data, Variables = void>(options: GuardedMutation<Data, Variables>) {
  const client = useQueryClient()
  return useGuardedMutation<Data, Variables>({
    ...options,
    onError: (error, variables) => {
      if (hasStatus(error, 403)) void client.invalidateQueries({ queryKey: environmentQuery.queryKey })
      options.onError?.(error, variables)
    },
  })
}
