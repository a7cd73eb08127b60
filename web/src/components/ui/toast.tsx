import type { ComponentType } from 'react'
import { createStore } from '../../lib/store.ts'
import { useStore } from '../../lib/use-store.ts'
import { shownToast, type ToastContent } from './toast-store.ts'

let lastKey = 0

/**
 * Shows a toast for five seconds, counted from when its button is enabled; it replaces the previous one. Returns a
 * function that removes it before, for when its cause is gone.
 */
export function toast(content: ToastContent): () => void {
  lastKey += 1
  const key = lastKey
  shownToast.set({ tone: 'good', ...content, key })
  loadToaster()
  return () => {
    if (shownToast.get()?.key === key) shownToast.set(null)
  }
}

const viewport = createStore<ComponentType | null>(null)

/** Loads the code of toasts, which a first screen does not need. If that fails, the next toast tries again. */
export function loadToaster(): void {
  if (viewport.get()) return
  import('./toast-viewport.tsx').then(
    ({ ToastViewport }) => viewport.set(ToastViewport),
    () => {},
  )
}

/** The place of toasts, once their code is loaded. */
export function Toaster() {
  const Viewport = useStore(viewport)
  return Viewport && <Viewport />
}
