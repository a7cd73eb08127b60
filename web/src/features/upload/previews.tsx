import { ImageOff, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '../../components/ui/button.tsx'
import { countOf, formatBytes } from '../../lib/format.ts'
import { changeDraft, type Draft } from './dialog-state.ts'
import { type ChosenFile, EMPTY_SELECTION } from './file-selection/add-files.ts'

const SHOWN = 4
/** Browsers cannot display these. */
const NO_PREVIEW = /\.(dng|tiff?)$/i

/** Previews of the first chosen files, and the number of the others. */
export function Previews({ draft, reading }: { draft: Draft; reading: boolean }) {
  const { photos, bytes, skipped } = draft
  if (photos.length === 0 && !reading && skipped === 0) return null

  function remove(removed: ChosenFile): void {
    changeDraft({ photos: photos.filter((one) => one !== removed), bytes: bytes - removed.bytes })
  }

  return (
    <section aria-label="Chosen photos">
      <div className="mb-1 flex min-h-11 items-center justify-between gap-2 sm:min-h-8">
        <p className="text-sm text-muted" role={reading ? undefined : 'status'}>
          {reading && 'Reading… '}
          {countOf(photos.length, 'photo')} · {formatBytes(bytes)}
          {skipped > 0 && ` · ${countOf(skipped, 'other file')} skipped`}
        </p>
        {!reading && (
          <Button variant="quiet" size="small" onClick={() => changeDraft(EMPTY_SELECTION)}>
            Remove all
          </Button>
        )}
      </div>
      <ul className="grid grid-cols-4 gap-2">
        {photos.slice(0, SHOWN).map((photo) => (
          <li key={`${photo.path}/${photo.file.name}/${photo.bytes}`} className="relative">
            <Preview file={photo.file} />
            {!reading && <RemoveButton name={photo.file.name} onClick={() => remove(photo)} />}
          </li>
        ))}
      </ul>
      {photos.length > SHOWN && (
        <p className="mt-1 text-sm font-semibold">+{countOf(photos.length - SHOWN, 'more photo')}</p>
      )}
    </section>
  )
}

/** A small circle in the corner; its click target is 44 px. */
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
  const [broken, setBroken] = useState(NO_PREVIEW.test(file.name))
  useEffect(() => {
    if (NO_PREVIEW.test(file.name)) return
    const created = URL.createObjectURL(file)
    setUrl(created)
    return () => URL.revokeObjectURL(created)
  }, [file])
  return (
    <div className="grid aspect-4/3 place-items-center overflow-hidden rounded-md bg-sunken text-muted">
      {url && !broken && (
        <img
          src={url}
          alt={file.name}
          decoding="async"
          onError={() => setBroken(true)}
          className="size-full object-cover"
        />
      )}
      {broken && (
        <span role="img" aria-label={`${file.name}, no preview`} className="grid justify-items-center gap-1">
          <ImageOff aria-hidden className="size-5" />
          <span className="max-w-full truncate px-1 text-xs">{file.name.split('.').at(-1)?.toUpperCase()}</span>
        </span>
      )}
    </div>
  )
}
