import { useQuery } from '@tanstack/react-query'
import { configQuery } from '../api/queries.ts'

/** The service may become available or unavailable at any time. */
const FRESH_MS = 30_000
/** While it is unavailable, so that the button comes back by itself. */
const UNAVAILABLE_MS = 10_000

export interface Printing {
  available: boolean
  /** Orders go to the partner's sandbox. */
  sandbox: boolean
  /** Why prints cannot be ordered; null if they can. */
  reason: string | null
}

/** Whether prints can be ordered now. Until it is known they can: the wizard itself says if they cannot. */
export function usePrinting(): Printing {
  const { data } = useQuery({
    ...configQuery,
    staleTime: FRESH_MS,
    refetchInterval: ({ state }) => (state.data?.printing.available === false ? UNAVAILABLE_MS : false),
  })
  if (!data) return { available: true, sandbox: false, reason: null }
  const { available, sandbox } = data.printing
  return { available, sandbox, reason: available ? null : 'Prints cannot be ordered right now.' }
}
