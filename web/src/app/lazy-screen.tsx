import type { QueryClient } from '@tanstack/react-query'
import { type ComponentType, lazy, startTransition, useEffect, useState } from 'react'
import { ScreenSpinner } from '../components/ui/spinner.tsx'
import { lazyModule } from '../lib/lazy-module.ts'
import { useLazyModule } from '../lib/use-lazy-module.ts'

/** The module of a screen. */
interface ScreenCode<Props> {
  default: ComponentType<Props>
  /** Requests the data that the user's first screen begins with, before it is rendered. */
  preload?: (client: QueryClient, address: Pick<Location, 'pathname' | 'search'>) => void
}

let isFirst = true

/** A screen whose code is loaded with its route. The previous screen stays until then. */
export function lazyScreen<Props extends object>(load: () => Promise<ScreenCode<Props>>) {
  const code = lazyModule(load)
  const Lazy = lazy(code.load) as ComponentType<Props>

  /**
   * The first screen follows a spinner, which `lazy` would show for 300 ms at least. It is rendered as a transition, which is cut into
   * short tasks.
   */
  function FirstScreen(props: Props) {
    const { loaded, failed } = useLazyModule(code)
    const [isShown, setShown] = useState(false)
    useEffect(() => startTransition(() => setShown(true)), [])
    if (failed) throw new Error('The code of a screen could not be loaded')
    return loaded && isShown ? <loaded.default {...props} /> : <ScreenSpinner />
  }

  function Screen(props: Props) {
    const [Chosen] = useState(() => (isFirst ? FirstScreen : Lazy))
    useEffect(() => {
      isFirst = false
    }, [])
    return <Chosen {...props} />
  }

  return Object.assign(Screen, { load: code.load })
}
