import { createStore } from '../lib/store.ts'

const KEY = 'map-background'

/** The background that this browser's user chose; the other server's only after a question. */
export const mapBackground = createStore<'own' | 'external'>(stored())

function stored(): 'own' | 'external' {
  try {
    return localStorage.getItem(KEY) === 'external' ? 'external' : 'own'
  } catch {
    return 'own' // Storage is blocked, or there is none.
  }
}

export function chooseBackground(choice: 'own' | 'external'): void {
  mapBackground.set(choice)
  try {
    localStorage.setItem(KEY, choice)
  } catch {
    // Storage is blocked: the choice applies to this page only.
  }
}

/** 'tiles.example.org' of a tile URL. */
export function hostOf(url: string): string {
  return new URL(url).host
}
