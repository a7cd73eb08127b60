import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { ordersQuery } from '../../api/orders.ts'

/** The loaded orders, their number in total, and a function that loads the next page. */
export function useOrders() {
  const list = useInfiniteQuery(ordersQuery)
  const pages = list.data?.pages
  const loaded = pages?.length ?? 0
  const [wanted, setWanted] = useState(1)
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = list
  const shouldLoad = loaded > 0 && loaded < wanted && hasNextPage && !isFetching && !isFetchNextPageError
  // A page is loaded only while nothing else is being read: reading again would cancel it, or be cancelled by it.
  useEffect(() => {
    if (shouldLoad) fetchNextPage()
  }, [shouldLoad, fetchNextPage])
  return {
    orders: useMemo(() => pages?.flatMap(({ items }) => items), [pages]),
    total: pages?.[0]?.total,
    error: list.error,
    isRefetching: list.isRefetching,
    refetch: () => void list.refetch(),
    hasMore: hasNextPage,
    isLoadingMore: hasNextPage && wanted > loaded && !isFetchNextPageError,
    loadingMoreFailed: isFetchNextPageError,
    loadMore: () => (isFetchNextPageError ? void fetchNextPage() : setWanted(loaded + 1)),
  }
}
