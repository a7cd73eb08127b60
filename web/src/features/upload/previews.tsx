import { X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { countOf, formatBytes } from '../../lib/format.ts'

const SHOWN = 4

interface PreviewsProps {
  files: File[]
  onChange: (files: File[]) => void
}

/** The first chosen files as pictures, and the number of those beyond. */
export function Previews({ files, onChange }: PreviewsProps) {
  if (files.length === 0) return null
  const bytes = files.reduce((sum, file) => sum + file.size, 0)
  return (
    <section aria-label="Chosen photos">
      <div className="mb-1 flex items-center justify-between gap-2">
        <p className="text-sm text-muted" role="status">
          {countOf(files.length, 'photo')} · {formatBytes(bytes)}
        </p>
        <Button variant="quiet" size="small" onClick={() => onChange([])}>
          Remove all
        </Button>
      </div>
      <ul className="grid grid-cols-4 gap-2">
        {files.slice(0, SHOWN).map((file) => (
          <li key={`${file.name}-${file.size}-${file.lastModified}`} className="relative">
            <Preview file={file} />
            <IconButton
              label={`Remove ${file.name}`}
              icon={<X />}
              variant="overlay"
              onClick={() => onChange(files.filter((other) => other !== file))}
              className="absolute top-1 right-1 size-8 rounded-full before:absolute before:-inset-1.5 sm:size-7"
            />
          </li>
        ))}
      </ul>
      {files.length > SHOWN && <p className="mt-2 text-sm font-semibold">+{files.length - SHOWN} more photos</p>}
    </section>
  )
}

function Preview({ file }: { file: File }) {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const created = URL.createObjectURL(file)
    setUrl(created)
    return () => URL.revokeObjectURL(created)
  }, [file])
  return (
    <div className="aspect-square overflow-hidden rounded-md bg-sunken">
      {url && <img src={url} alt={file.name} decoding="async" className="size-full object-cover" />}
    </div>
  )
}
