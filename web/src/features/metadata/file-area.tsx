import { FileImage, ImagePlus, X } from 'lucide-react'
import { type ChangeEvent, type Ref, useId } from 'react'
import { IconButton } from '../../components/ui/button.tsx'
import { cx } from '../../lib/cx.ts'
import { formatBytes } from '../../lib/format.ts'
import { ACCEPTED, supportedText } from './file-check.ts'

interface FileAreaProps {
  maxBytes: number
  /** Files are dragged over the screen. */
  over: boolean
  /** No other file can be chosen. */
  disabled: boolean
  onChoose: (file: File) => void
  ref: Ref<HTMLInputElement>
}

/** Takes one file from the file dialog. The whole screen accepts drops. */
export function FileArea({ maxBytes, over, disabled, onChoose, ref }: FileAreaProps) {
  const id = useId()

  function choose({ target }: ChangeEvent<HTMLInputElement>): void {
    const file = target.files?.[0]
    target.value = '' // So that the same file can be chosen again.
    if (file) onChoose(file)
  }

  return (
    <label
      className={cx(
        'flex flex-col items-center gap-1 rounded-lg border-2 border-dashed px-4 py-8 text-center transition has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent',
        over ? 'border-accent bg-accent-soft' : 'border-line bg-surface',
        disabled ? 'opacity-60' : 'cursor-pointer hover:border-accent',
      )}
    >
      <ImagePlus aria-hidden className="mb-1 size-7 text-accent" />
      <span className="font-semibold">
        <span className="pointer-coarse:hidden">Drop a photo here, or choose a file</span>
        <span className="hidden pointer-coarse:inline">Choose a photo</span>
      </span>
      <span id={id} className="text-sm text-pretty text-muted">
        {supportedText(maxBytes)}
      </span>
      <input
        ref={ref}
        type="file"
        name="photo"
        accept={ACCEPTED}
        disabled={disabled}
        aria-label="Photo"
        aria-describedby={id}
        className="sr-only"
        onChange={choose}
      />
    </label>
  )
}

/** The chosen file: its name and size. */
export function ChosenFile({ file, onRemove }: { file: File; onRemove?: () => void }) {
  return (
    <p className="flex min-w-0 grow items-center gap-3 max-sm:w-full sm:basis-64">
      <FileImage aria-hidden className="size-5 shrink-0 text-muted" />
      <span className="min-w-0 flex-1">
        <span className="block font-semibold wrap-anywhere">{file.name}</span>
        <span className="block text-sm text-muted">{formatBytes(file.size)}</span>
      </span>
      {onRemove && <IconButton label={`Remove ${file.name}`} icon={<X />} onClick={onRemove} />}
    </p>
  )
}
