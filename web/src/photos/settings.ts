import type { PhotoSort } from '../api/photo-lists.ts'
import type { AccountSettings } from '../api/types.ts'
import { remember, rememberedValue } from '../lib/remember.ts'

/** Without the choice of the map: what a user has agreed to load is only what the server says. */
export type PhotoSettings = Pick<AccountSettings, 'units' | 'sort' | 'view'>

export const DEFAULT_SETTINGS: PhotoSettings = { units: 'metric', sort: 'newest', view: 'grid' }

/** This browser's copy of the settings, with which the gallery starts before the server has answered; other tabs see its changes. */
export const SETTINGS_KEY = 'settings'

/** The view that was chosen in the gallery of this browser, until the default changes. */
export const VIEW_CHOICE_KEY = 'gallery-view'

export function rememberSettings(userId: number, settings: AccountSettings): void {
  const before = rememberedSettings(userId)
  if (before && before.view !== settings.view) remember(VIEW_CHOICE_KEY, null)
  remember(SETTINGS_KEY, JSON.stringify({ userId, ...settings }))
}

/** What this browser remembers of a user's settings; null when it remembers none of this user. */
export function rememberedSettings(userId: number): PhotoSettings | null {
  return parseSettings(rememberedValue(SETTINGS_KEY), userId)
}

/** Reads remembered settings; null when they are another user's. Invalid values become the defaults. */
export function parseSettings(stored: unknown, userId: number): PhotoSettings | null {
  if (typeof stored !== 'object' || stored === null) return null
  const { userId: owner, units, sort, view } = stored as Record<string, unknown>
  if (owner !== userId) return null
  return {
    units: units === 'imperial' ? 'imperial' : 'metric',
    sort: parseSort(sort) ?? 'newest',
    view: view === 'list' ? 'list' : 'grid',
  }
}

export const SORT_LABELS: Readonly<Record<PhotoSort, string>> = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  'taken-newest': 'Date taken, newest first',
  'taken-oldest': 'Date taken, oldest first',
}

/** Reads an order from outside; null when there is no such order. */
export function parseSort(value: unknown): PhotoSort | null {
  return typeof value === 'string' && Object.hasOwn(SORT_LABELS, value) ? (value as PhotoSort) : null
}
