import { RotateCw, Undo2 } from 'lucide-react'
import { type KeyboardEvent, type PointerEvent, useId, useRef } from 'react'
import type { Crop } from '../../../api/print-orders.ts'
import { Button } from '../../../components/ui/button.tsx'
import { type Dimensions, MAX_ZOOM, moveCrop, type PrintSize, turnCrop, zoomCrop, zoomOf } from '../crop.ts'

/** The part of the picture by which an arrow key moves the frame; with Shift ten times as far. */
const KEY_STEP = 0.01
const MAX_HEIGHT_REM = 22

const KEYS: Record<string, [number, number]> = {
  ArrowLeft: [-KEY_STEP, 0],
  ArrowRight: [KEY_STEP, 0],
  ArrowUp: [0, -KEY_STEP],
  ArrowDown: [0, KEY_STEP],
}

interface CropEditorProps {
  picture: Dimensions & { src: string }
  size: PrintSize
  crop: Crop
  /** The photo and the size. */
  name: string
  /** Null: the largest part in the middle. */
  onChange: (crop: Crop | null) => void
  onClose: () => void
}

/** The whole picture with a frame around what is printed: moved by pointer or arrow keys, zoomed and turned. */
export function CropEditor({ picture, size, crop, name, onChange, onClose }: CropEditorProps) {
  const id = useId()
  const frame = useFrameDrag(crop, onChange)
  const zoom = zoomOf(crop, picture, size)
  const percent = (value: number) => `${value * 100}%`

  function moveByKey(event: KeyboardEvent): void {
    const step = KEYS[event.key]
    if (!step) return
    event.preventDefault()
    const factor = event.shiftKey ? 10 : 1
    onChange(moveCrop(crop, step[0] * factor, step[1] * factor))
  }

  /** Escape closes the editor, not the dialog around it. */
  function closeByKey(event: KeyboardEvent): void {
    if (event.key !== 'Escape') return
    event.preventDefault()
    onClose()
  }

  const ratio = picture.width / picture.height
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the key is for all controls inside
    <div data-takes-escape onKeyDown={closeByKey} className="grid justify-items-center gap-3">
      <div
        ref={frame.box}
        className="relative overflow-hidden rounded-sm bg-sunken"
        style={{ aspectRatio: ratio, width: `min(100%, ${MAX_HEIGHT_REM * ratio}rem)` }}
      >
        <img src={picture.src} alt="" draggable={false} className="size-full select-none" />
        <button
          type="button"
          aria-label={`Printed part of ${name}`}
          aria-describedby={`${id}-help`}
          onKeyDown={moveByKey}
          {...frame.handlers}
          className="absolute cursor-move touch-none shadow-[0_0_0_100vmax_rgb(0_0_0/55%)] ring-2 ring-white -outline-offset-4"
          style={{
            left: percent(crop.x),
            top: percent(crop.y),
            width: percent(crop.width),
            height: percent(crop.height),
          }}
        />
      </div>
      <p id={`${id}-help`} className="text-center text-sm text-muted">
        Drag the frame, or focus it and use the arrow keys. What is inside is printed.
      </p>
      <p role="status" className="sr-only">
        {`${Math.round(crop.x * 100)} percent from the left, ${Math.round(crop.y * 100)} percent from the top`}
      </p>
      <div className="flex w-full flex-wrap items-center justify-center gap-x-4 gap-y-2">
        <label className="flex min-h-11 items-center gap-2 text-sm font-semibold sm:min-h-8">
          Zoom
          <input
            type="range"
            min={1}
            max={MAX_ZOOM}
            step={0.05}
            value={zoom}
            aria-valuetext={`${Math.round(zoom * 100)} percent`}
            onChange={(event) => onChange(zoomCrop(crop, picture, size, Number(event.target.value)))}
            className="h-11 w-36 accent-accent sm:h-8"
          />
        </label>
        {size.long !== size.short && (
          <Button size="small" onClick={() => onChange(turnCrop(crop, picture, size))}>
            <RotateCw aria-hidden /> Turn the print
          </Button>
        )}
        <Button size="small" variant="quiet" onClick={() => onChange(null)}>
          <Undo2 aria-hidden /> Reset
        </Button>
      </div>
    </div>
  )
}

/** Moves the frame with the pointer: from where it was when the pointer went down. */
function useFrameDrag(crop: Crop, onChange: (crop: Crop) => void) {
  const box = useRef<HTMLDivElement>(null)
  const start = useRef<{ x: number; y: number; crop: Crop } | null>(null)

  function down(event: PointerEvent<HTMLElement>): void {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    start.current = { x: event.clientX, y: event.clientY, crop }
  }

  function move(event: PointerEvent): void {
    const bounds = box.current?.getBoundingClientRect()
    if (!start.current || !bounds) return
    const dx = (event.clientX - start.current.x) / bounds.width
    const dy = (event.clientY - start.current.y) / bounds.height
    onChange(moveCrop(start.current.crop, dx, dy))
  }

  function up(): void {
    start.current = null
  }

  return { box, handlers: { onPointerDown: down, onPointerMove: move, onPointerUp: up, onPointerCancel: up } }
}
