import { startTransition, useCallback, useEffect, useState } from 'react'
import type { LazyModule } from './lazy-module.ts'

/** A module that is loaded with the component. `loaded` is null until it is there; `failed`: it could not be loaded. */
export function useLazyModule<T>(module: LazyModule<T>) {
  const [state, setState] = useState({ loaded: module.loaded(), failed: false })
  const load = useCallback(() => {
    module.load().then(
      // What it renders may be large: a transition is rendered in short tasks.
      (loaded) => startTransition(() => setState({ loaded, failed: false })),
      () => setState({ loaded: null, failed: true }),
    )
  }, [module])
  // Not `module.loaded()`: it may have arrived between the rendering and this effect.
  const isMissing = state.loaded === null
  useEffect(() => {
    if (isMissing) load()
  }, [isMissing, load])
  return { ...state, retry: load }
}
