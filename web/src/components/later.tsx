import { type ComponentType, useEffect, useState } from 'react'
import { isFirstScreenComplete } from '../lib/first-screen.ts'
import { UNREACHABLE } from '../lib/http.ts'
import { lazyModule } from '../lib/lazy-module.ts'
import { useStore } from '../lib/use-store.ts'
import { toast } from './ui/toast.tsx'

const FIRST_PAUSE_MS = 2_000

/**
 * A component without which the first screen is complete: its code is loaded after it, or when the user begins to use the
 * screen. Until then it renders nothing.
 */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const code = lazyModule(load)
  return function Later(props: Props) {
    const isComplete = useStore(isFirstScreenComplete)
    const [Loaded, setLoaded] = useState(code.loaded)
    useEffect(() => {
      if (Loaded || !isComplete) return
      let left = false
      const attempt = (pauseMs: number) =>
        code.load().then(
          (component) => left || setLoaded(() => component),
          () => {
            if (left) return
            toast({ title: 'A part of this page could not be loaded', description: UNREACHABLE, tone: 'danger' })
            timer = setTimeout(attempt, pauseMs, 2 * pauseMs)
          },
        )
      // A task of its own: many components begin at the same moment.
      let timer = setTimeout(attempt, 0, FIRST_PAUSE_MS)
      return () => {
        left = true
        clearTimeout(timer)
      }
    }, [Loaded, isComplete])
    return Loaded && <Loaded {...props} />
  }
}
