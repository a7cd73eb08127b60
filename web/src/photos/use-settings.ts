import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { activeUserQuery, settingsQuery } from '../api/queries.ts'
import { DEFAULT_SETTINGS, type PhotoSettings, rememberedSettings } from './settings.ts'

/**
 * The signed-in user's settings: the defaults until the server or this browser's memory has told them, and for a visitor: so an owner
 * sees of a photo what a visitor does, unless the owner has chosen other units.
 */
export function useSettings(): PhotoSettings & { isKnown: boolean } {
  const { data: user } = useQuery(activeUserQuery)
  const { data, isError } = useQuery({ ...settingsQuery, enabled: Boolean(user) })
  const userId = user?.id ?? null
  const remembered = useMemo(() => (userId === null ? null : rememberedSettings(userId)), [userId])
  if (user === null) return { ...DEFAULT_SETTINGS, isKnown: true }
  const known = data ?? remembered
  return { ...(known ?? DEFAULT_SETTINGS), isKnown: known !== null || isError }
}
