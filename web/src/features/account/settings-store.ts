import { createStore } from '../../lib/store.ts'

export const isSettingsOpen = createStore(false)

/** Opens the settings dialog, which is part of the frame of every screen. */
export function openSettings(): void {
  isSettingsOpen.set(true)
}
