import type { ComponentType } from 'react'
import { createPortal } from 'react-dom'
import { ApiError, errorMessage, isRetryable } from '../../lib/http.ts'
import { createStore, useStore } from '../../lib/store.ts'
import { shownToast, type ToastContent, type ToastPlace } from './toast-store.ts'

let lastKey = 0

/**
 * Shows a toast for five seconds, or for ten from when its button is enabled; it replaces the previous one. Returns a
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

/**
 * Says that something failed, and why. `retry` does it again: it is offered where it can help, after the server's minimum delay.
 * Returns a function that removes the toast, as `toast` does.
 */
export function toastFailure(title: string, error: unknown, retry?: () => void): () => void {
  const afterSeconds = error instanceof ApiError ? error.retryAfter : 0
  const action = retry && isRetryable(error) ? { label: 'Retry', onSelect: retry, afterSeconds } : undefined
  return toast({ title, description: errorMessage(error), tone: 'danger', action })
}

const viewport = createStore<ComponentType<{ place: ToastPlace }> | null>(null)

/** Loads the code of toasts, which a first screen does not need. If that fails, the next toast tries again. */
export function loadToaster(): void {
  if (viewport.get()) return
  import('./overlays.ts').then(
    ({ ToastViewport }) => viewport.set(ToastViewport),
    () => {},
  )
}

interface Host {
  element: HTMLElement
  place: Exclude<ToastPlace, 'page'>
}

/** The open dialogs that take toasts, the one on top last. */
const hosts = createStore<readonly Host[]>([])

function enter(element: HTMLElement | null, place: Host['place']): (() => void) | undefined {
  if (!element) return
  const host = { element, place }
  const others = hosts.get()
  // Whenever it opens, the dialog of a photo is below all panels.
  hosts.set(place === 'photo' ? [host, ...others] : [...others, host])
  return () => hosts.set(hosts.get().filter((one) => one !== host))
}

// Each is the same function at every rendering: a dialog enters once.
const REFS = {
  panel: (element: HTMLElement | null) => enter(element, 'panel'),
  photo: (element: HTMLElement | null) => enter(element, 'photo'),
}

/** Takes the toasts into an open dialog: what is outside a modal dialog, keys and screen readers cannot reach. */
export function ToastHost({ place }: Pick<Host, 'place'>) {
  return <div className="contents" ref={REFS[place]} />
}

/** The place of toasts, once their code is loaded. */
export function Toaster() {
  const Viewport = useStore(viewport)
  const top = useStore(hosts).at(-1)
  if (!Viewport) return null
  return top ? createPortal(<Viewport place={top.place} />, top.element) : <Viewport place="page" />
}
