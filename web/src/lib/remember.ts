// Public screens load it, too, and what is requested before them.

type StorageName = 'localStorage' | 'sessionStorage'

/** A text that this browser, or this tab, remembers; null without one, or where its storage is blocked. */
export function remembered(key: string, by: StorageName = 'localStorage'): string | null {
  try {
    return globalThis[by].getItem(key)
  } catch {
    return null
  }
}

/** A remembered value; null without one, or where the text is not JSON. */
export function rememberedValue<T>(key: string, by: StorageName = 'localStorage'): T | null {
  try {
    return JSON.parse(remembered(key, by) ?? 'null') as T | null
  } catch {
    return null
  }
}

/** Remembers a text; null forgets it. Where storage is blocked, nothing is remembered. */
export function remember(key: string, text: string | null, by: StorageName = 'localStorage'): void {
  try {
    if (text === null) globalThis[by].removeItem(key)
    else globalThis[by].setItem(key, text)
  } catch {}
}

/** Where photos of shifted flights were. The next user of the tab does not learn it. */
export const FLIGHT_SHIFTS = 'flight-shifts'
