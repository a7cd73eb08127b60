import { createStore } from './store.ts'
import { useStore } from './use-store.ts'

export type Theme = 'light' | 'dark' | 'system'

const KEY = 'theme'
const systemDark = matchMedia('(prefers-color-scheme: dark)')
const choice = createStore(storedTheme())

function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(KEY)
    return stored === 'light' || stored === 'dark' ? stored : 'system'
  } catch {
    return 'system' // Storage is blocked.
  }
}

function apply(next: Theme): void {
  const dark = next === 'dark' || (next === 'system' && systemDark.matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
  choice.set(next)
}

systemDark.addEventListener('change', () => apply(choice.get()))
addEventListener('storage', (event) => {
  if (event.key === KEY) apply(storedTheme())
})

/** Sets the theme for this browser, in all its tabs. */
export function setTheme(next: Theme): void {
  try {
    localStorage.setItem(KEY, next)
  } catch {
    // Storage is blocked: the choice applies to this page only.
  }
  apply(next)
}

/** The chosen theme; `system` by default. */
export function useTheme(): Theme {
  return useStore(choice)
}
