import { type ComponentType, useEffect, useState } from 'react'
import { isFirstScreenComplete } from '../lib/first-screen.ts'
import { UNREACHABLE } from '../lib/http.ts'
import { lazyModule } from '../lib/lazy-module.ts'
import { useStore } from '../lib/use-store.ts'
import { toast } from './ui/toast.tsx'

const FIRST_PAUSE_MS = 2_000
const LONGEST_PAUSE_MS = 30_000

/**
 * A component that the first screen can do without for a moment: its code is loaded when that is complete, or when the user begins
 * to use it. `Before` is rendered until then. Loading is repeated until it succeeds.
 */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Before?: ComponentType,
): ComponentType<Props> {
  const code = lazyModule(load)
  return function Later(props: Props) {
    const isComplete = useStore(isFirstScreenComplete)
    const [Loaded, setLoaded] = useState(code.loaded)
    useEffect(() => {
      if (Loaded || !isComplete) return
      let dismissFailure: (() => void) | undefined
      let left = false

      async function attempt(pauseMs: number): Promise<void> {
        const component = await code.load().catch(() => null)
        if (left) return
        if (component) {
          dismissFailure?.()
          setLoaded(() => component)
          return
        }
        dismissFailure ??= toast({
          title: 'A part of this page could not be loaded',
          description: UNREACHABLE,
          tone: 'danger',
        })
        timer = setTimeout(attempt, pauseMs, Math.min(2 * pauseMs, LONGEST_PAUSE_MS))
      }

      // A task of its own: many components begin at the same moment.
      let timer = setTimeout(attempt, 0, FIRST_PAUSE_MS)
      return () => {
        left = true
        clearTimeout(timer)
      }
    }, [Loaded, isComplete])
    if (Loaded) return <Loaded {...props} />
    return Before ? <Before /> : null
  }
}
