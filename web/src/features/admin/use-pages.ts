import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Page } from '../../api/client.ts'

/** The loaded items of a list in pages, their number in total, and what a LoadMore needs. */
export function usePages<T>(list: UseInfiniteQueryResult<InfiniteData<Page<T>>>) {
  const pages = list.data?.pages
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = list
  return {
    items: useMemo(() => pages?.flatMap(({ items }) => items), [pages]),
    total: pages?.[0]?.total ?? 0,
    hasMore: hasNextPage,
    loadMore: {
      busy: isFetching && !isFetchNextPageError,
      failed: isFetchNextPageError,
      onLoad: () => void (!isFetching && fetchNextPage()),
    },
  }
}
