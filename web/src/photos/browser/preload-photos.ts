import type { QueryClient } from '@tanstack/react-query'
import { hasMonths, photoMonthsQuery, photoPageQuery } from '../../api/photo-lists.ts'
import { placesQuery, settingsQuery, userQuery } from '../../api/queries.ts'
import { rememberedSettings } from '../use-settings.ts'
import { listOf, type PhotoSource, readFilters } from './filters.ts'

/** Requests what a list of photos shows first, before its screen is rendered. `search`: the URL's, with the filters. */
export function preloadPhotos(client: QueryClient, source: PhotoSource, search: string): void {
  void client.prefetchQuery(placesQuery)
  // The screen shows what fails.
  requestFirstPage(client, source, search).catch(() => {})
}

async function requestFirstPage(client: QueryClient, source: PhotoSource, search: string): Promise<void> {
  const reading = client.fetchQuery(settingsQuery)
  // Awaited only where this browser remembers none.
  reading.catch(() => {})
  const user = await client.fetchQuery(userQuery)
  if (!user || user.deletesAt) return
  const { sort } = rememberedSettings(user.id) ?? (await reading)
  const list = listOf(readFilters(new URLSearchParams(search), sort), undefined, source)
  void client.prefetchQuery(photoPageQuery(list, 0))
  if (hasMonths(list)) void client.prefetchQuery(photoMonthsQuery(list))
}
