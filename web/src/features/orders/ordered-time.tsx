import { createContext, type ReactNode, useContext } from 'react'
import { formatDateTime } from '../../lib/format.ts'
import { useNow } from '../../lib/use-now.ts'
import { orderedText } from './order-texts.ts'

const Now = createContext(0)

/** One clock for all orders inside: with a thousand of them, a timer for each would be noticeable. */
export function OrderClock({ children }: { children: ReactNode }) {
  return <Now value={useNow()}>{children}</Now>
}

/** 'Ordered 3 hours ago', updated while it is shown. */
export function OrderedTime({ at }: { at: string }) {
  const now = useContext(Now)
  return (
    <time dateTime={at} title={formatDateTime(at) ?? undefined}>
      {orderedText(at, now)}
    </time>
  )
}
