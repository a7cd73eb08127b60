import { type ComponentType, startTransition, useEffect, useEffectEvent, useState } from 'react'
import { whenFirstScreenIsComplete } from '../lib/first-screen.ts'
import { UNREACHABLE } from '../lib/http.ts'
import { createStore, useStore } from '../lib/store.ts'
import { ErrorState } from './ui/empty-state.tsx'
import { toast } from './ui/toast.tsx'

const FIRST_PAUSE_MS = 2_000
const LONGEST_PAUSE_MS = 30_000

/** Code that is loaded on demand; `loaded` is null until then. A failed load can be repeated. */
export function lazyModule<T>(load: () => Promise<T>) {
  let module: T | null = null
  return {
    loaded: () => module,
    load: async () => {
      module ??= await load()
      return module
    },
  }
}

interface LazyOptions<Props> {
  /** Is rendered until the code is there; by default nothing. */
  Loading?: ComponentType<Props>
  /** The first screen can do without it for a moment: it is loaded when that is complete, or when `need` is called. */
  afterFirstScreen?: boolean
  /** What could not be loaded, for an error with Retry in its place. */
  failure?: string
  /** Is called when it could not be loaded, instead of an error. */
  onFailure?: (props: Props) => void
}

/**
 * A component whose code is loaded when it is rendered. A failure without `failure` and `onFailure` is thrown, as `lazy` does; what is
 * loaded after the first screen is tried again until it succeeds, since nobody has asked for it yet.
 */
export function lazyComponent<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  { Loading, afterFirstScreen = false, failure, onFailure }: LazyOptions<Props> = {},
): ComponentType<Props> & { need: () => void } {
  const code = lazyModule(load)
  const isNeeded = createStore(!afterFirstScreen)
  const need = () => isNeeded.set(true)
  if (afterFirstScreen) whenFirstScreenIsComplete(need)

  function Lazy(props: Props) {
    const needed = useStore(isNeeded)
    const [Loaded, setLoaded] = useState(code.loaded)
    const [failed, setFailed] = useState(false)
    const giveUp = useEffectEvent(() => {
      setFailed(true)
      onFailure?.(props)
    })
    const isMissing = needed && !Loaded && !failed

    useEffect(() => {
      if (!isMissing) return
      let timer: ReturnType<typeof setTimeout> | undefined
      let dismissFailure: (() => void) | undefined
      let left = false

      async function attempt(pauseMs: number): Promise<void> {
        const component = await code.load().catch(() => null)
        if (left) return
        if (component) {
          dismissFailure?.()
          // What it renders may be large: a transition is rendered in short tasks.
          return startTransition(() => setLoaded(() => component))
        }
        if (!afterFirstScreen) return giveUp()
        const title = 'A part of this page could not be loaded'
        dismissFailure ??= toast({ title, description: UNREACHABLE, tone: 'danger' })
        timer = setTimeout(attempt, pauseMs, Math.min(2 * pauseMs, LONGEST_PAUSE_MS))
      }

      void attempt(FIRST_PAUSE_MS)
      return () => {
        left = true
        clearTimeout(timer)
      }
    }, [isMissing])

    if (Loaded) return <Loaded {...props} />
    if (!failed) return Loading ? <Loading {...props} /> : null
    if (failure) return <ErrorState title={failure} description={UNREACHABLE} onRetry={() => setFailed(false)} />
    if (!onFailure) throw new Error('A part of the application could not be loaded')
    return null
  }

  return Object.assign(Lazy, { need })
}
