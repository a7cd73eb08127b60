import type { ComponentType } from 'react'
import { createStore } from '../../lib/store.ts'
import { useStore } from '../../lib/use-store.ts'
import { shownToast, type ToastContent } from './toast-store.ts'

/** Shows a toast for five seconds, counted from when its button is enabled; it replaces the previous one. */
export function toast(content: ToastContent): void {
  shownToast.set({ tone: 'good', ...content, key: (shownToast.get()?.key ?? 0) + 1 })
  loadToaster()
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
