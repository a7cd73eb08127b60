import type { QueryClient } from '@tanstack/react-query'
import { type ComponentType, startTransition, useEffect, useState } from 'react'
import { ScreenSpinner } from '../components/ui/spinner.tsx'
import { lazyModule } from '../lib/lazy-module.ts'
import { useLazyModule } from '../lib/use-lazy-module.ts'

/** The module of a screen. */
interface ScreenCode<Props> {
  default: ComponentType<Props>
  /** Requests the screen's first data before it is rendered. */
  preload?: (client: QueryClient, address: Pick<Location, 'pathname' | 'search'>) => void
}

let isFirst = true

/**
 * A screen whose code is loaded with its route. It is rendered at once when the code is there; React's `lazy` shows a
 * spinner first, and then keeps it for 300 ms. The first screen follows a spinner anyway: as a transition it is rendered in
 * short tasks.
 */
export function lazyScreen<Props extends object>(load: () => Promise<ScreenCode<Props>>) {
  const code = lazyModule(load)

  function LazyScreen(props: Props) {
    const { loaded, failed } = useLazyModule(code)
    const [isShown, setShown] = useState(!isFirst)
    useEffect(() => {
      isFirst = false
      startTransition(() => setShown(true))
    }, [])
    if (failed) throw new Error('The code of a screen could not be loaded')
    return loaded && isShown ? <loaded.default {...props} /> : <ScreenSpinner />
  }

  return Object.assign(LazyScreen, { load: code.load })
}
