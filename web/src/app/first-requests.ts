import type { QueryClient } from '@tanstack/react-query'
import { photoMonthsQuery, photoPageQuery } from '../api/photo-lists.ts'
import {
  camerasQuery,
  configQuery,
  folderQuery,
  foldersQuery,
  placesQuery,
  settingsQuery,
  userQuery,
} from '../api/queries.ts'
import { completeFirstScreen } from '../lib/first-screen.ts'
import { parseId } from '../lib/parse-id.ts'
import { folderOf, listOf, readFilters } from '../photos/browser/filters.ts'
import { DEFAULT_SETTINGS, rememberedSettings } from '../photos/settings.ts'

/** Requests what the user's first screen begins with, before it is rendered. A failure is shown by the screen. */
export async function requestFirstData(client: QueryClient, { pathname, search }: Location): Promise<void> {
  const user = await client.fetchQuery(userQuery)
  // Rejected requests would be logged by browsers, and during the deletion of an account nothing may be asked.
  if (!user || user.deletesAt) return
  // The form is the first screen, not the photos behind it.
  if (pathname === '/upload') import('./signed-in.tsx').catch(() => {})
  if (/^\/(upload|folders)?$/.test(pathname)) {
    if (pathname !== '/folders') requestPhotos(client, null, { search, userId: user.id })
    void client.prefetchQuery(configQuery)
    void client.prefetchQuery(foldersQuery)
  }
  const folderId = parseId(/^\/folders\/(.+)$/.exec(pathname)?.[1])
  if (folderId !== null) {
    requestPhotos(client, folderId, { search, userId: user.id })
    void client.prefetchQuery(folderQuery(folderId))
    void client.prefetchQuery(foldersQuery)
  }
}

function requestPhotos(
  client: QueryClient,
  folderId: number | null,
  { search, userId }: { search: string; userId: number },
): void {
  const parameters = new URLSearchParams(search)
  // The open photo is the first screen, not the list below it.
  if (parameters.has('photo')) completeFirstScreen()
  // Before the settings are known: most users keep the default order.
  const { sort } = rememberedSettings(userId) ?? DEFAULT_SETTINGS
  const filters = readFilters(parameters, sort)
  const list = listOf(filters, folderId)
  const folder = folderOf(filters, folderId)
  void client.prefetchQuery(photoPageQuery(list, 0))
  void client.prefetchQuery(photoMonthsQuery(list))
  void client.prefetchQuery(settingsQuery)
  void client.prefetchQuery(placesQuery(folder))
  void client.prefetchQuery(camerasQuery(folder))
}
