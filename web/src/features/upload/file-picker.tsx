import { ImagePlus } from 'lucide-react'
import { type DragEvent, type Ref, useId, useState } from 'react'
import type { AppConfig } from '../../api/types.ts'
import { cx } from '../../lib/cx.ts'
import { uploadHint } from './limits.ts'

interface FilePickerProps {
  config: AppConfig
  onChoose: (files: File[]) => void
  error?: string
  ref?: Ref<HTMLInputElement>
}

/** Takes files from the file dialog or by drag and drop; several at once. */
export function FilePicker({ config, onChoose, error, ref }: FilePickerProps) {
  const id = useId()
  const [over, setOver] = useState(false)

  function onDrag(event: DragEvent): void {
    if (!event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    setOver(event.type === 'dragover')
    if (event.type === 'drop') onChoose([...event.dataTransfer.files])
  }

  return (
    <div>
      <label
        onDragOver={onDrag}
        onDragLeave={onDrag}
        onDrop={onDrag}
        className={cx(
          'flex cursor-pointer flex-col items-center gap-1 rounded-lg border-2 border-dashed px-4 py-6 text-center transition hover:border-accent has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent',
          over ? 'border-accent bg-accent-soft' : 'border-line bg-bg',
          error && 'border-danger',
        )}
      >
        <ImagePlus aria-hidden className="mb-1 size-7 text-accent" />
        <span className="font-semibold">
          <span className="pointer-coarse:hidden">Drop photos here, or choose files</span>
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
          accept={config.formats.join(',')}
          aria-label="Photos"
          aria-invalid={Boolean(error)}
          aria-describedby={cx(`${id}-hint`, error && `${id}-error`)}
          className="sr-only"
          onChange={(event) => {
            onChoose([...(event.target.files ?? [])])
            event.target.value = '' // The same file can be chosen again.
          }}
        />
      </label>
      {error && (
        <p id={`${id}-error`} role="alert" className="mt-1.5 text-sm text-danger">
          {error}
        </p>
      )}
    </div>
  )
}
