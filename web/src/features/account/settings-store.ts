import { createStore } from '../../lib/store.ts'

/** Whether the settings dialog is open. */
export const isSettingsOpen = createStore(false)

/** Opens the settings dialog, which is part of the frame of every screen. */
export function openSettings(): void {
  isSettingsOpen.set(true)
}
