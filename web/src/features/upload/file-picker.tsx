import { FolderOpen, ImagePlus } from 'lucide-react'
import { type ChangeEvent, type Ref, useId, useRef } from 'react'
import type { AppConfig } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { cx } from '../../lib/cx.ts'
import { acceptList, uploadHint } from './limits.ts'

/** React's types lack the attribute. */
const FOLDERS = { webkitdirectory: '' }

interface FilePickerProps {
  config: AppConfig
  onChoose: (files: File[]) => void
  /** One line: files are chosen, and more can be added. */
  compact: boolean
  error?: string
  ref?: Ref<HTMLInputElement>
}

/** Takes any number of files, or a whole folder, from the file dialog. The whole page accepts drops. */
export function FilePicker({ config, onChoose, compact, error, ref }: FilePickerProps) {
  const id = useId()
  const folder = useRef<HTMLInputElement>(null)

  function choose({ target }: ChangeEvent<HTMLInputElement>): void {
    onChoose([...(target.files ?? [])])
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
          <span className="font-semibold">{compact ? 'Add more photos' : <Invitation />}</span>
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
        <input ref={folder} type="file" name="folder" {...FOLDERS} hidden onChange={choose} />
      </div>
      {error && (
        <p id={`${id}-error`} role="alert" className="mt-1.5 text-sm text-danger">
          {error}
        </p>
      )}
    </div>
  )
}

function Invitation() {
  return (
    <>
      <span className="pointer-coarse:hidden">Drop photos or folders here, or choose files</span>
      <span className="hidden pointer-coarse:inline">Choose photos</span>
    </>
  )
}
