import { FolderOpen, ImageOff, ImagePlus, X } from 'lucide-react'
import { type ChangeEvent, type Ref, useEffect, useId, useRef, useState } from 'react'
import type { AppConfig } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { cx } from '../../lib/cx.ts'
import { countOf, formatBytes } from '../../lib/format.ts'
import { changeDraft, type Draft, EMPTY_SELECTION } from './dialog-state.ts'
import { acceptList, listedFiles, uploadHint } from './file-selection.ts'
import type { ChosenFile } from './queue/items.ts'
import { addToForm } from './upload-actions.ts'

interface FilePickerProps {
  config: AppConfig
  /** One line: files are chosen, and more can be added. */
  compact: boolean
  error?: string
  ref?: Ref<HTMLInputElement>
}

/** Takes any number of files, or a whole folder, from the file dialog. The whole page accepts drops. */
export function FilePicker({ config, compact, error, ref }: FilePickerProps) {
  const id = useId()
  const folder = useRef<HTMLInputElement>(null)

  function choose({ target }: ChangeEvent<HTMLInputElement>): void {
    addToForm(listedFiles([...(target.files ?? [])]))
    target.value = '' // So that the same file can be chosen again.
  }

  return (
    <div>
      <div
        className={cx(
          'flex items-center gap-1 rounded-lg border-2 border-dashed bg-bg px-4 transition has-focus-visible:border-accent',
          compact ? 'justify-between py-1.5' : 'flex-col pt-5 pb-4 text-center',
          error ? 'border-danger' : 'border-line hover:border-accent',
        )}
      >
        <label
          className={cx(
            'flex cursor-pointer items-center rounded-md has-focus-visible:outline-2 has-focus-visible:outline-accent',
            compact
              ? '-ml-2 min-h-11 min-w-0 flex-1 gap-3 px-2 sm:min-h-8'
              : 'w-full flex-col gap-1 has-focus-visible:outline-offset-4',
          )}
        >
          <ImagePlus aria-hidden className={cx('shrink-0 text-accent', compact ? 'size-5' : 'mb-1 size-7')} />
          <span className={cx('font-semibold', !compact && 'pointer-coarse:hidden')}>
            {compact ? 'Add more photos' : 'Drop photos or folders here, or choose files'}
          </span>
          {!compact && <span className="hidden font-semibold pointer-coarse:inline">Choose photos</span>}
          <span id={`${id}-hint`} className={compact ? 'sr-only' : 'text-sm text-pretty text-muted'}>
            {uploadHint(config)}
          </span>
          <input
            ref={ref}
            type="file"
            name="photos"
            data-autofocus
            multiple
            accept={acceptList(config.formats)}
            aria-label="Photos"
            aria-invalid={Boolean(error)}
            aria-describedby={cx(`${id}-hint`, error && `${id}-error`)}
            className="sr-only"
            onChange={choose}
          />
        </label>
        {/* Phones cannot choose folders. */}
        <Button variant="quiet" size="small" className="pointer-coarse:hidden" onClick={() => folder.current?.click()}>
          <FolderOpen aria-hidden /> Choose a folder
        </Button>
        {/* React's types lack webkitdirectory. */}
        <input ref={folder} type="file" name="folder" {...{ webkitdirectory: '' }} hidden onChange={choose} />
      </div>
      {error && (
        <p id={`${id}-error`} role="alert" className="mt-1.5 text-sm text-danger">
          {error}
        </p>
      )}
    </div>
  )
}

const SHOWN = 4
/** Browsers cannot display these. */
const NO_PREVIEW = /\.(dng|tiff?)$/i

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
            {/* A small circle in the corner; its click target is 44 px. */}
            {!reading && (
              <button
                type="button"
                aria-label={`Remove ${photo.file.name}`}
                title={`Remove ${photo.file.name}`}
                onClick={() => remove(photo)}
                className="absolute top-0 right-0 grid size-11 place-items-start justify-items-end rounded-md p-1 sm:size-8"
              >
                <span className="grid size-6 place-items-center rounded-full bg-black/65 text-white">
                  <X aria-hidden className="size-3.5" />
                </span>
              </button>
            )}
          </li>
        ))}
      </ul>
      {photos.length > SHOWN && (
        <p className="mt-1 text-sm font-semibold">+{countOf(photos.length - SHOWN, 'more photo')}</p>
      )}
    </section>
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
