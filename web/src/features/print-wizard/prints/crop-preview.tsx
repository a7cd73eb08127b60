import type { Crop } from '../../../api/print-orders.ts'
import type { Dimensions } from '../crop.ts'

const LONG_SIDE_PX = 112

interface CropPreviewProps {
  picture: Dimensions & { src: string }
  crop: Crop
  alt: string
}

/** The print as it will look, in its proportions. */
export function CropPreview({ picture, crop, alt }: CropPreviewProps) {
  const ratio = (crop.width * picture.width) / (crop.height * picture.height)
  const width = ratio >= 1 ? LONG_SIDE_PX : LONG_SIDE_PX * ratio
  return (
    <span
      className="relative block shrink-0 overflow-hidden bg-sunken shadow-high ring-1 ring-line"
      style={{ width, height: width / ratio }}
    >
      <img src={picture.src} alt={alt} loading="lazy" className="absolute max-w-none" style={placeInFrame(crop)} />
    </span>
  )
}

/** The position of a whole picture behind a frame that shows only the crop. */
function placeInFrame({ x, y, width, height }: Crop) {
  const percent = (value: number) => `${value * 100}%`
  return {
    width: percent(1 / width),
    height: percent(1 / height),
    left: percent(-x / width),
    top: percent(-y / height),
  }
}
