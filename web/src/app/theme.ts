import { useSyncExternalStore } from 'react'

export type Theme = 'light' | 'dark' | 'system'

const KEY = 'theme'
const systemDark = matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()
let choice = storedTheme()

function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(KEY)
    return stored === 'light' || stored === 'dark' ? stored : 'system'
  } catch {
    return 'system' // Storage is blocked.
  }
}

function apply(next: Theme): void {
  choice = next
  const dark = choice === 'dark' || (choice === 'system' && systemDark.matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
  for (const listener of listeners) listener()
}

systemDark.addEventListener('change', () => apply(choice))
addEventListener('storage', (event) => {
  if (event.key === KEY) apply(storedTheme())
})

/** Chooses the theme for this browser, in all its tabs. */
export function setTheme(next: Theme): void {
  try {
    localStorage.setItem(KEY, next)
  } catch {
    // Storage is blocked: the choice holds for this page.
  }
  apply(next)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The chosen theme, `system` until one is chosen. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, () => choice)
}
