import { ImageOff } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { cx } from '../lib/cx.ts'
import { thumbhashPixels } from '../lib/thumbhash.ts'
import { Spinner } from './ui/spinner.tsx'

interface PhotoImageProps {
  /** Null while there is no rendition yet. */
  src: string | null
  /** The available renditions with their widths, and the displayed width. */
  srcSet?: string
  sizes?: string
  alt: string
  thumbhash: string | null
  /** `cover` fills the fixed ratio of a card; `contain` shows the whole picture. */
  fit?: 'cover' | 'contain'
  /** Text for a picture that is not ready yet, such as 'Processing'. */
  pending?: string
  /** Replaces a picture that does not exist or could not be loaded. */
  fallback?: ReactNode
  /** Loads immediately instead of near the viewport. */
  eager?: boolean
  /** The bytes were rejected or are damaged. */
  onError?: () => void
  /** Aspect ratio and radius, if different from a card's. */
  className?: string
}

/** A photograph with a fixed aspect ratio and a blurred placeholder until it is loaded. */
export function PhotoImage({
  src,
  srcSet,
  sizes,
  alt,
  thumbhash,
  fit = 'cover',
  pending,
  fallback,
  eager,
  onError,
  className,
}: PhotoImageProps) {
  const [loaded, setLoaded] = useState<string | null>(null)
  const [broken, setBroken] = useState<string | null>(null)
  const failed = src !== null && broken === src
  // A picture that failed to load offline is loaded again when the browser is online.
  useEffect(() => {
    if (!failed) return
    const tryAgain = () => setBroken(null)
    window.addEventListener('online', tryAgain)
    return () => window.removeEventListener('online', tryAgain)
  }, [failed])
  return (
    <div className={cx('@container relative overflow-hidden bg-sunken', className ?? 'aspect-3/2 rounded-lg')}>
      {thumbhash && !failed && (src !== null || pending) && <Placeholder thumbhash={thumbhash} fit={fit} />}
      {src !== null && !failed && (
        <img
          key={src}
          sizes={sizes}
          srcSet={srcSet}
          src={src}
          alt={alt}
          loading={eager ? 'eager' : 'lazy'}
          decoding="async"
          draggable={false}
          onLoad={() => setLoaded(src)}
          onError={() => {
            setBroken(src)
            onError?.()
          }}
          className={cx(
            'absolute inset-0 size-full transition-opacity duration-(--calm)',
            fit === 'cover' ? 'object-cover' : 'object-contain',
            loaded !== src && 'opacity-0',
          )}
        />
      )}
      {(failed || (src === null && !pending)) && (fallback ?? <NoPicture alt={alt} failed={failed} />)}
      {src === null && pending && (
        <div className="absolute inset-0 grid place-content-center justify-items-center gap-2 text-sm text-muted">
          <Spinner className="text-xl" />
          <span className="sr-only @min-[9rem]:not-sr-only">{pending}</span>
        </div>
      )}
    </div>
  )
}

function NoPicture({ alt, failed }: { alt: string; failed: boolean }) {
  return (
    <div
      role="img"
      aria-label={alt}
      className="absolute inset-0 grid place-content-center justify-items-center gap-2 p-3 text-center text-sm text-muted"
    >
      <ImageOff aria-hidden className="size-6" />
      <span className="hidden @min-[9rem]:block">{failed ? 'Image could not be loaded' : 'No preview available'}</span>
    </div>
  )
}

function Placeholder({ thumbhash, fit }: { thumbhash: string; fit: 'cover' | 'contain' }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const pixels = thumbhashPixels(thumbhash)
    if (!pixels || !canvas.current) return
    canvas.current.width = pixels.width
    canvas.current.height = pixels.height
    canvas.current.getContext('2d')?.putImageData(pixels, 0, 0)
  }, [thumbhash])
  return (
    <canvas
      ref={canvas}
      aria-hidden
      className={cx('absolute inset-0 size-full', fit === 'cover' ? 'object-cover' : 'object-contain')}
    />
  )
}
