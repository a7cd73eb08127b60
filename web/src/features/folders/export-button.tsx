import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { readRankingsFile } from '../../api/folders.ts'
import type { Folder } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { Spinner } from '../../components/ui/loading.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { saveFile } from '../../lib/files.ts'
import { errorMessage } from '../../lib/http.ts'

/** Downloads the standings as a CSV file. */
export function ExportButton({ folder }: { folder: Folder }) {
  const save = useMutation({
    mutationFn: () => readRankingsFile(folder.id),
    onSuccess: (file) => saveFile(file, `${folder.name} rankings.csv`),
    onError: (error) =>
      toast({
        title: 'Failed to export the rankings',
        description: errorMessage(error),
        tone: 'danger',
        action: { label: 'Retry', onSelect: () => save.mutate() },
      }),
  })
  return (
    <Button aria-busy={save.isPending} onClick={() => save.isPending || save.mutate()}>
      {save.isPending ? <Spinner className="text-current" /> : <Download aria-hidden />} Export CSV
    </Button>
  )
}
