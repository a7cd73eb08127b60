import type { QueryClient } from '@tanstack/react-query'
import { hasMonths, photoMonthsQuery, photoPageQuery } from '../../api/photo-lists.ts'
import { placesQuery, settingsQuery, userQuery } from '../../api/queries.ts'
import { completeFirstScreen } from '../../lib/first-screen.ts'
import { rememberedSettings } from '../use-settings.ts'
import { listOf, type PhotoSource, readFilters } from './filters.ts'

/** Requests what the user's list of photos shows first, before its screen is rendered. `search`: the URL's, with the filters. */
export function preloadPhotos(client: QueryClient, source: PhotoSource, search: string): void {
  const parameters = new URLSearchParams(search)
  // The open photo is the first screen, not the list below it.
  if (parameters.has('photo')) completeFirstScreen()
  void client.prefetchQuery(placesQuery)
  // A failure is shown when the screen is rendered.
  requestFirstPage(client, source, parameters).catch(() => {})
}

async function requestFirstPage(client: QueryClient, source: PhotoSource, search: URLSearchParams): Promise<void> {
  const settings = client.fetchQuery(settingsQuery)
  const user = client.getQueryData(userQuery.queryKey)
  const remembered = user ? rememberedSettings(user.id) : null
  if (remembered) settings.catch(() => {})
  const { sort } = remembered ?? (await settings)
  const list = listOf(readFilters(search, sort), undefined, source)
  void client.prefetchQuery(photoPageQuery(list, 0))
  if (hasMonths(list)) void client.prefetchQuery(photoMonthsQuery(list))
}
