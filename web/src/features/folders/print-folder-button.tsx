import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Printer } from 'lucide-react'
import { photoIdsBetween } from '../../api/photo-cache.ts'
import { folderPhotoList } from '../../api/photo-lists.ts'
import { Button } from '../../components/ui/button.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { errorMessage } from '../../lib/http.ts'
import { MAX_PRINT_PHOTOS, openPrintWizard } from '../../photos/open-print-wizard.ts'
import { usePrinting } from '../../photos/use-printing.ts'

interface PrintFolderButtonProps {
  folderId: number
  photoCount: number
}

/** Orders prints of all photos of the folder 'Printed'. */
export function PrintFolderButton({ folderId, photoCount }: PrintFolderButtonProps) {
  const client = useQueryClient()
  const { reason } = usePrinting()
  const open = useMutation({
    mutationFn: () => photoIdsBetween(client, folderPhotoList(folderId), 0, photoCount - 1),
    onSuccess: (photoIds) => openPrintWizard({ photoIds }),
    onError: (error) =>
      toast({ title: 'Photos could not be loaded', description: errorMessage(error), tone: 'danger' }),
  })
  const why = reason ?? reasonOf(photoCount)
  return (
    <Button disabled={why !== null} title={why ?? undefined} busy={open.isPending} onClick={() => open.mutate()}>
      <Printer aria-hidden /> Order prints
    </Button>
  )
}

function reasonOf(photoCount: number): string | null {
  if (photoCount === 0) return 'The folder is empty.'
  return photoCount > MAX_PRINT_PHOTOS ? `An order can have at most ${MAX_PRINT_PHOTOS} photos.` : null
}
