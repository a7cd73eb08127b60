import { type ComponentType, startTransition, useEffect, useState } from 'react'
import { whenFirstScreenIsComplete } from '../lib/first-screen.ts'
import { UNREACHABLE } from '../lib/http.ts'
import { lazyModule } from '../lib/lazy-module.ts'
import { createStore } from '../lib/store.ts'
import { toast } from './ui/toast.tsx'

const FIRST_PAUSE_MS = 2_000
const LONGEST_PAUSE_MS = 30_000

/**
 * A component that the first screen can do without for a moment: its code is loaded when that is complete, or when the user begins
 * to use it. `Before` is rendered until then. Loading is repeated until it succeeds. `need` does not wait for the first screen.
 */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Before?: ComponentType<Props>,
): ComponentType<Props> & { need: () => void } {
  const code = lazyModule(load)
  const isNeeded = createStore(false)
  const markNeeded = () => {
    if (!isNeeded.get()) isNeeded.set(true)
  }
  whenFirstScreenIsComplete(markNeeded)

  function Later(props: Props) {
    const [Loaded, setLoaded] = useState(code.loaded)
    useEffect(() => {
      if (Loaded) return
      let dismissFailure: (() => void) | undefined
      let left = false

      async function attempt(pauseMs: number): Promise<void> {
        const component = await code.load().catch(() => null)
        if (left) return
        if (component) {
          dismissFailure?.()
          startTransition(() => setLoaded(() => component))
          return
        }
        dismissFailure ??= toast({
          title: 'A part of this page could not be loaded',
          description: UNREACHABLE,
          tone: 'danger',
        })
        timer = setTimeout(attempt, pauseMs, Math.min(2 * pauseMs, LONGEST_PAUSE_MS))
      }

      let timer: ReturnType<typeof setTimeout> | undefined
      const start = () => {
        // A task of its own: many components begin at the same moment.
        timer = setTimeout(attempt, 0, FIRST_PAUSE_MS)
      }
      const forget = isNeeded.subscribe(start)
      if (isNeeded.get()) start()
      return () => {
        left = true
        forget()
        clearTimeout(timer)
      }
    }, [Loaded])
    if (Loaded) return <Loaded {...props} />
    return Before ? <Before {...props} /> : null
  }

  function need(): void {
    // A failure is repeated, and shown, by the component.
    code.load().catch(() => {})
    markNeeded()
  }

  return Object.assign(Later, { need })
}
