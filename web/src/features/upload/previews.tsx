import { ImageOff, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '../../components/ui/button.tsx'
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
            <RemoveButton name={file.name} onClick={() => onChange(files.filter((other) => other !== file))} />
          </li>
        ))}
      </ul>
      {files.length > SHOWN && (
        <p className="mt-2 text-sm font-semibold">+{countOf(files.length - SHOWN, 'more photo')}</p>
      )}
    </section>
  )
}

/** A small disc in the corner; its target is the whole 44 px around it. */
function RemoveButton({ name, onClick }: { name: string; onClick: () => void }) {
  return (
    <button
      type="button"
      aria-label={`Remove ${name}`}
      title={`Remove ${name}`}
      onClick={onClick}
      className="absolute top-0 right-0 grid size-11 place-items-start justify-items-end rounded-md p-1 sm:size-8"
    >
      <span className="grid size-6 place-items-center rounded-full bg-black/65 text-white">
        <X aria-hidden className="size-3.5" />
      </span>
    </button>
  )
}

function Preview({ file }: { file: File }) {
  const [url, setUrl] = useState<string>()
  const [broken, setBroken] = useState(false)
  useEffect(() => {
    const created = URL.createObjectURL(file)
    setUrl(created)
    return () => URL.revokeObjectURL(created)
  }, [file])
  return (
    <div className="grid aspect-square place-items-center overflow-hidden rounded-md bg-sunken text-muted">
      {url && !broken && (
        <img
          src={url}
          alt={file.name}
          decoding="async"
          onError={() => setBroken(true)}
          className="size-full object-cover"
        />
      )}
      {broken && <ImageOff role="img" aria-label={`${file.name}, no preview`} className="size-5" />}
    </div>
  )
}
