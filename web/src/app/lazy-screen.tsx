import { type ComponentType, lazy, startTransition, useEffect, useState } from 'react'
import { ScreenSpinner } from '../components/ui/spinner.tsx'
import type { LazyModule } from '../lib/lazy-module.ts'
import { useLazyModule } from '../lib/use-lazy-module.ts'

/** The module of a screen. */
interface ScreenCode<Props> {
  default: ComponentType<Props>
}

let isFirst = true

/** A screen whose code is loaded with its route. The previous screen stays until then. */
export function lazyScreen<Props extends object>(code: LazyModule<ScreenCode<Props>>): ComponentType<Props> {
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

  return function Screen(props: Props) {
    const [Chosen] = useState(() => (isFirst ? FirstScreen : Lazy))
    useEffect(() => {
      isFirst = false
    }, [])
    return <Chosen {...props} />
  }
}
