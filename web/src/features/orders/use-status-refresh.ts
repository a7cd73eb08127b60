import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { ordersQuery, requestStatusRefresh } from '../../api/orders.ts'

/**
 * Asks for fresh statuses whenever the number of orders changes and is above zero, then reads the list again. True while
 * it runs. A failure shows nothing: the server checks the statuses by itself as well.
 */
export function useStatusRefresh(count: number | undefined): boolean {
  const client = useQueryClient()
  const refresh = useMutation({
    mutationFn: requestStatusRefresh,
    // Not awaited: reading the list is not part of the refresh.
    onSuccess: () => void client.invalidateQueries({ queryKey: ordersQuery.queryKey }),
  })
  const start = useEffectEvent(() => refresh.mutate())
  useEffect(() => {
    if (count !== undefined && count > 0) start()
  }, [count])
  return refresh.isPending
}
