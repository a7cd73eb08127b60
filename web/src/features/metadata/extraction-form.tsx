import { useQuery } from '@tanstack/react-query'
import { ScanSearch } from 'lucide-react'
import { useRef, useState } from 'react'
import { configQuery } from '../../api/queries.ts'
import { Button } from '../../components/ui/button.tsx'
import { Progress, Spinner } from '../../components/ui/loading.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { ChosenFile, FileArea } from './file-area.tsx'
import { DEFAULT_MAX_BYTES, rejectionToast } from './file-check.ts'
import { useDroppedFile } from './use-dropped-file.ts'
import { useMetadataUpload } from './use-metadata-upload.ts'

const WORKING_TEXT = 'Processing image and extracting metadata...'
/** The server's progress is unknown: the bar does not move. */
const WORKING_PERCENT = 85

/** Chooses one photo and extracts its metadata. */
export function ExtractionForm() {
  const { data: config } = useQuery(configQuery)
  const maxBytes = config?.limits.metadataFileBytes ?? DEFAULT_MAX_BYTES
  const [file, setFile] = useState<File | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const extraction = useMetadataUpload()
  const busy = extraction.isPending
  const over = useDroppedFile(choose)

  function choose(chosen: File): void {
    if (busy) return
    const rejection = rejectionToast(chosen, maxBytes)
    if (rejection) toast(rejection)
    else setFile(chosen)
  }

  function remove(): void {
    setFile(null)
    input.current?.focus()
  }

  function extract(): void {
    if (file && !busy) extraction.mutate(file, { onSuccess: () => setFile(null) })
  }

  return (
    <section aria-label="Upload a photo" className="grid content-start gap-4">
      <FileArea ref={input} maxBytes={maxBytes} over={over && !busy} disabled={busy} onChoose={choose} />
      <div className="flex flex-wrap items-center gap-x-6 gap-y-4">
        {file && <ChosenFile file={file} onRemove={busy ? undefined : remove} />}
        {/* Not `disabled`: the focus would be lost after every photo. */}
        <Button
          variant="primary"
          aria-disabled={!file || busy}
          aria-busy={busy}
          onClick={extract}
          className="max-sm:w-full sm:ml-auto sm:min-w-52"
        >
          {busy ? <Spinner className="text-current" /> : <ScanSearch aria-hidden />}
          {busy ? 'Extracting Metadata...' : 'Extract Metadata'}
        </Button>
      </div>
      <div role="status">
        {busy && (
          <div className="grid gap-2">
            <Progress value={WORKING_PERCENT} label={WORKING_TEXT} />
            <p className="text-sm text-muted">{WORKING_TEXT}</p>
          </div>
        )}
      </div>
    </section>
  )
}
