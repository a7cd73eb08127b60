import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { metadataPhotosQuery } from '../../api/metadata-photos.ts'
import { Button } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/confirm-dialog.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { countOf } from '../../lib/format.ts'
import { errorMessage } from '../../lib/http.ts'

/** Deletes all photos of the metadata screen after confirmation. */
export function ClearAll({ count }: { count: number }) {
  const [confirming, setConfirming] = useState(false)
  const clear = useClearAll()
  const photos = count === 1 ? 'this photo' : `these ${countOf(count, 'photo')}`
  return (
    <>
      <Button onClick={() => setConfirming(true)}>
        <Trash2 aria-hidden /> Clear All
      </Button>
      <ConfirmDialog
        open={confirming}
        onOpenChange={setConfirming}
        title="Clear All"
        description={`Are you sure you want to delete ${photos} and the metadata? This action cannot be undone. Your gallery stays as it is.`}
        confirmLabel="Clear All"
        danger
        busy={clear.isPending}
        onConfirm={() => clear.mutate(undefined, { onSettled: () => setConfirming(false) })}
      />
    </>
  )
}

function useClearAll() {
  const client = useQueryClient()
  const clear = useMutation({
    mutationFn: () => api('delete', '/api/photos/metadata', {}),
    onSuccess: async () => {
      toast({ title: 'Success', description: 'All metadata photos have been cleared' })
      // A photo uploaded meanwhile is not cleared. Cached single photos are removed.
      await client.invalidateQueries({ queryKey: metadataPhotosQuery.queryKey, exact: true })
      client.removeQueries({ queryKey: metadataPhotosQuery.queryKey, predicate: ({ queryKey }) => queryKey.length > 1 })
    },
    onError: (error) =>
      toast({
        title: 'Error',
        description: errorMessage(error, 'Failed to clear metadata photos'),
        tone: 'danger',
        action: { label: 'Retry', onSelect: () => clear.mutate() },
      }),
  })
  return clear
}
