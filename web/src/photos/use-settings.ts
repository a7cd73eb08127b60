import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { activeUserQuery, settingsQuery } from '../api/queries.ts'
import type { AccountSettings } from '../api/types.ts'
import { DEFAULT_SETTINGS, rememberedSettings } from './settings.ts'

/**
 * The signed-in user's settings: the defaults until the server or this browser's memory has told them. A visitor's are the defaults,
 * with feet and miles where the browser is American.
 */
export function useSettings(): AccountSettings & { isKnown: boolean } {
  const { data: user } = useQuery(activeUserQuery)
  const { data, isError } = useQuery({ ...settingsQuery, enabled: Boolean(user) })
  const userId = user?.id ?? null
  const remembered = useMemo(() => (userId === null ? null : rememberedSettings(userId)), [userId])
  if (user === null) return { ...DEFAULT_SETTINGS, units: unitsOf(navigator.language), isKnown: true }
  const known = data ?? remembered
  return { ...(known ?? DEFAULT_SETTINGS), isKnown: known !== null || isError }
}

/** The units of a visitor, by the language of the browser. */
export function unitsOf(language: string): AccountSettings['units'] {
  return language === 'en-US' ? 'imperial' : 'metric'
}
