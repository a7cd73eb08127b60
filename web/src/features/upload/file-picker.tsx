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
  error?: string
  ref?: Ref<HTMLInputElement>
}

/** Takes any number of files, or a whole folder, from the file dialog. The whole page accepts drops. */
export function FilePicker({ config, onChoose, error, ref }: FilePickerProps) {
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
          'flex flex-col items-center gap-1 rounded-lg border-2 border-dashed bg-bg px-4 pt-5 pb-4 text-center transition has-focus-visible:border-accent',
          error ? 'border-danger' : 'border-line hover:border-accent',
        )}
      >
        <label className="flex w-full cursor-pointer flex-col items-center gap-1 rounded-md has-focus-visible:outline-2 has-focus-visible:outline-offset-4 has-focus-visible:outline-accent">
          <ImagePlus aria-hidden className="mb-1 size-7 text-accent" />
          <span className="font-semibold">
            <span className="pointer-coarse:hidden">Drop photos or folders here, or choose files</span>
            <span className="hidden pointer-coarse:inline">Choose photos</span>
          </span>
          <span id={`${id}-hint`} className="text-sm text-pretty text-muted">
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
