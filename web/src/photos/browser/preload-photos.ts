import type { QueryClient } from '@tanstack/react-query'
import { hasMonths, photoMonthsQuery, photoPageQuery } from '../../api/photo-lists.ts'
import { placesQuery, settingsQuery, userQuery } from '../../api/queries.ts'
import { completeFirstScreen } from '../../lib/first-screen.ts'
import { DEFAULT_SETTINGS, rememberedSettings } from '../use-settings.ts'
import { listOf, type PhotoSource, readFilters } from './filters.ts'

/** Requests what the user's list of photos shows first, before its screen is rendered. `search`: the URL's, with the filters. */
export function preloadPhotos(client: QueryClient, source: PhotoSource, search: string): void {
  const parameters = new URLSearchParams(search)
  // The open photo is the first screen, not the list below it.
  if (parameters.has('photo')) completeFirstScreen()
  const userId = client.getQueryData(userQuery.queryKey)?.id ?? 0
  // Before the settings are known: most users keep the default order.
  const { sort } = rememberedSettings(userId) ?? DEFAULT_SETTINGS
  const list = listOf(readFilters(parameters, sort), undefined, source)
  void client.prefetchQuery(photoPageQuery(list, 0))
  if (hasMonths(list)) void client.prefetchQuery(photoMonthsQuery(list))
  void client.prefetchQuery(settingsQuery)
  void client.prefetchQuery(placesQuery)
}
