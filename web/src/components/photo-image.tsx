import { ImageOff } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { cx } from '../lib/cx.ts'
import { thumbhashUrl } from '../lib/thumbhash.ts'
import { Spinner } from './ui/loading.tsx'
import { useImageLoad } from './use-image-load.ts'

interface PhotoImageProps {
  /** Null while there is no rendition yet. */
  src: string | null
  /** A small rendition, shown until the chosen one is there. */
  quick?: string | null
  /** The available renditions with their widths, and the displayed width. */
  srcSet?: string
  sizes?: string
  alt: string
  thumbhash: string | null
  /** `cover` fills the fixed ratio of a card; `contain` shows the whole picture, `own-size` does not enlarge it. */
  fit?: keyof typeof FIT
  /** Text for a picture that is not ready yet, such as 'Processing'. */
  pending?: string
  /** Replaces a picture that does not exist or could not be loaded. */
  fallback?: ReactNode
  /** Loads immediately instead of near the viewport; `first` also precedes all other pictures, and does not fade in. */
  eager?: boolean | 'first'
  onLoad?: () => void
  /** The bytes were rejected or are damaged. They are requested again some times. */
  onError?: () => void
  /** Aspect ratio and radius, if different from a card's. */
  className?: string
}

const FIT = { cover: 'object-cover', contain: 'object-contain', 'own-size': 'object-scale-down' }
const BACKGROUND_FIT = { cover: 'bg-cover', contain: 'bg-contain', 'own-size': 'bg-contain' }

/** A photograph with a fixed aspect ratio and a blurred placeholder until it is loaded. */
export function PhotoImage({
  src,
  quick,
  srcSet,
  sizes,
  alt,
  thumbhash,
  fit = 'cover',
  pending,
  fallback,
  eager,
  onLoad,
  onError,
  className,
}: PhotoImageProps) {
  const load = useImageLoad(src, { onLoad, onError })
  const { loaded, failed } = load
  const isFirst = eager === 'first'
  return (
    <div className={cx('@container relative overflow-hidden bg-sunken', className ?? 'aspect-3/2 rounded-lg')}>
      {thumbhash && !failed && (src !== null || pending) && (
        <Placeholder thumbhash={thumbhash} fit={fit} hidden={loaded && fit !== 'cover'} />
      )}
      {quick && !failed && (
        <img src={quick} alt="" draggable={false} className={cx('absolute inset-0 size-full', FIT[fit])} />
      )}
      {src !== null && !load.waiting && (
        <img
          key={src}
          ref={load.ref}
          sizes={sizes}
          srcSet={srcSet}
          src={src}
          alt={alt}
          loading={eager ? 'eager' : 'lazy'}
          fetchPriority={isFirst ? 'high' : undefined}
          decoding={isFirst ? 'sync' : 'async'}
          draggable={false}
          onLoad={load.onLoad}
          onError={load.onError}
          className={cx(
            'absolute inset-0 size-full',
            FIT[fit],
            // An alternative text must not cover the placeholder.
            isFirst ? 'text-transparent' : 'transition-opacity duration-(--calm)',
            !isFirst && !loaded && 'opacity-0',
            failed && 'invisible',
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
    <div className="absolute inset-0 grid place-content-center justify-items-center gap-2 p-3 text-center text-sm text-muted">
      <ImageOff aria-hidden className="size-6" />
      <span className="sr-only">{alt}</span>
      <span className="hidden @min-[9rem]:block">{failed ? 'Image could not be loaded' : 'No preview available'}</span>
    </div>
  )
}

interface PlaceholderProps {
  thumbhash: string
  fit: keyof typeof FIT
  /** A thumbhash knows the picture's aspect ratio only roughly: it would stay visible beside a whole picture. */
  hidden: boolean
}

/** A background, not a canvas: drawing it took an effect of several milliseconds for each photo. */
function Placeholder({ thumbhash, fit, hidden }: PlaceholderProps) {
  const url = useMemo(() => thumbhashUrl(thumbhash), [thumbhash])
  return (
    <span
      aria-hidden
      data-placeholder
      className={cx(
        'absolute inset-0 bg-center bg-no-repeat transition-opacity duration-(--calm)',
        BACKGROUND_FIT[fit],
        hidden && 'opacity-0',
      )}
      style={{ backgroundImage: url ? `url(${url})` : undefined }}
    />
  )
}
