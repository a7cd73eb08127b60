import { useQuery } from '@tanstack/react-query'
import { hasMonths, type PhotoList, photoMonthsQuery } from '../../api/photo-lists.ts'
import type { MonthCount } from './photo-layout.ts'

/** The months of a list, null where it has none; not ready before they are known, so that the list does not shift. */
export function useMonths(list: PhotoList): { months: MonthCount[] | null; isReady: boolean } {
  const { data, isError } = useQuery({ ...photoMonthsQuery(list), enabled: hasMonths(list) })
  return { months: data?.months ?? null, isReady: !hasMonths(list) || data !== undefined || isError }
}
