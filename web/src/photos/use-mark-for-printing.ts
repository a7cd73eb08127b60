import { useMutation, useQueryClient } from '@tanstack/react-query'
import { markForPrinting, PrintingError } from '../api/printing.ts'
import type { Photo } from '../api/types.ts'
import { toast } from '../components/ui/toast.tsx'
import { errorMessage } from '../lib/http.ts'

const FAILURE_TITLES = {
  folder: 'Failed to mark photo for printing',
  photo: 'Failed to add photo to Printed folder',
}

/** Marks a photo for printing by moving it into the folder 'Printed'. */
export function useMarkForPrinting() {
  const client = useQueryClient()
  const mark = useMutation({
    mutationFn: (photo: Photo) => markForPrinting(client, photo),
    onSuccess: () => toast({ title: 'Added to Printed', description: 'Photo has been marked for printing' }),
    onError: (error, photo) =>
      toast({
        title: FAILURE_TITLES[error instanceof PrintingError ? error.step : 'photo'],
        description: errorMessage(error.cause),
        tone: 'danger',
        action: { label: 'Retry', onSelect: () => mark.mutate(photo) },
      }),
  })
  return mark
}
