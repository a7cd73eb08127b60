import { Download } from 'lucide-react'
import { encodeQR } from 'qr'
import { useEffect, useMemo, useRef } from 'react'
import { Button } from '../../components/ui/button.tsx'
import { toastFailure } from '../../components/ui/toast.tsx'
import { saveFile } from '../../lib/files.ts'

/** The quiet zone that the standard demands, in modules. */
const BORDER = 4
/** The least edge of the picture for print, in pixels. */
const PRINT_EDGE = 1024

interface LinkQrCodeProps {
  /** Of the files. */
  name: string
  address: string
}

/** The address as a picture that phones read, to be put on a screen or on paper. */
export function LinkQrCode({ name, address }: LinkQrCodeProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const modules = useMemo(() => encodeQR(address, 'raw', { ecc: 'medium', border: BORDER }), [address])
  useEffect(() => {
    if (canvas.current) draw(canvas.current, modules)
  }, [modules])

  function savePicture(): void {
    canvas.current?.toBlob((file) => {
      if (file) saveFile(file, `${name}.png`)
      else toastFailure('Failed to make the picture', null)
    }, 'image/png')
  }

  return (
    <div className="grid justify-items-center gap-4 pb-2">
      <canvas
        ref={canvas}
        role="img"
        aria-label={`QR code of ${address}`}
        className="w-full max-w-80 rounded-md ring ring-line [image-rendering:pixelated]"
      />
      <p className="text-center wrap-anywhere">
        <span className="block font-semibold">{name}</span> <span className="text-sm text-muted">{address}</span>
      </p>
      <div className="flex flex-wrap justify-center gap-2 max-sm:w-full max-sm:*:flex-1">
        <Button onClick={() => saveFile(vectorFile(address), `${name}.svg`)}>
          <Download aria-hidden /> SVG
        </Button>
        <Button onClick={savePicture}>
          <Download aria-hidden /> PNG for print
        </Button>
      </div>
    </div>
  )
}

/** Whole pixels for each module, so that none is blurred. */
function draw(canvas: HTMLCanvasElement, modules: boolean[][]): void {
  const scale = Math.ceil(PRINT_EDGE / modules.length)
  canvas.width = canvas.height = scale * modules.length
  const context = canvas.getContext('2d')
  if (!context) return
  context.fillStyle = '#fff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.fillStyle = '#000'
  for (const [y, row] of modules.entries()) {
    for (const [x, dark] of row.entries()) if (dark) context.fillRect(x * scale, y * scale, scale, scale)
  }
}

/** With a white ground: on a dark one no phone reads it. */
function vectorFile(address: string): Blob {
  const code = encodeQR(address, 'svg', { ecc: 'medium', border: BORDER })
  return new Blob([code.replace('>', '><rect width="100%" height="100%" fill="#fff"/>')], { type: 'image/svg+xml' })
}
