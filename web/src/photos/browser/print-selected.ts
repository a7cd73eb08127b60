import type { QueryClient } from '@tanstack/react-query'
import { photoIdsBetween } from '../../api/photo-cache.ts'
import type { PhotoList } from '../../api/photo-lists.ts'
import { toast } from '../../components/ui/toast.tsx'
import { errorMessage } from '../../lib/http.ts'
import { MAX_PRINT_PHOTOS, openPrintWizard } from '../open-print-wizard.ts'
import { isSelected, type Selection } from './selection.ts'

/** Opens the print wizard with the selected photos of a list. */
export async function printSelected(
  client: QueryClient,
  list: PhotoList,
  total: number,
  selection: Selection,
): Promise<void> {
  try {
    openPrintWizard({ photoIds: await selectedIds(client, list, total, selection) })
  } catch (error) {
    toast({ title: 'Photos could not be selected', description: errorMessage(error), tone: 'danger' })
  }
}

async function selectedIds(client: QueryClient, list: PhotoList, total: number, selection: Selection) {
  if (selection.kind === 'some') return [...selection.ids]
  const ids = await photoIdsBetween(client, list, 0, total - 1)
  return ids.filter((id) => isSelected(selection, id))
}

/** Why so many photos cannot be one order; null if they can. */
export function tooManyToPrint(count: number): string | null {
  return count > MAX_PRINT_PHOTOS ? `An order can have at most ${MAX_PRINT_PHOTOS} photos.` : null
}
