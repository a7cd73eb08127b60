import { ChevronLeft, ChevronRight, Download, ImageIcon, ImageOff } from 'lucide-react'
import {
  type ComponentProps,
  type Ref,
  type RefObject,
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useRef,
  useState,
} from 'react'
import { PhotoImage } from '../../components/photo-image.tsx'
import { isDng, needsOriginal, quickSource, sourcesForWidth } from '../../components/renditions.ts'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { cx } from '../../lib/cx.ts'
import { altText } from '../../lib/format.ts'
import {
  fading,
  type Stage,
  StageControls,
  useIdle,
  useSlideshow,
  useSlideTimer,
  useStageKeys,
  ZoomButtons,
} from './photo-frame.tsx'
import { savesData, type ViewedPhoto } from './sphere/sphere.ts'
import { type LoadPanorama, SpherePicture, type SphereProblem, SphereSwitch } from './sphere/sphere-picture.tsx'
import { fitInto, type Size, useZoom, type ZoomHandlers } from './use-zoom.ts'

interface PictureViewerProps extends Pick<Stage, 'screen' | 'onPrevious' | 'onNext' | 'onFirst'> {
  photo: ViewedPhoto
  /** Its neighbours in the list, if they are known: their pictures are loaded in advance. */
  neighbours: readonly (ViewedPhoto | undefined)[]
  /** Reads GPano of a sphere. */
  loadPanorama: LoadPanorama
  /** Shown in full screen, where the details are hidden. */
  caption: string
  /** The link of a visitor does not allow it: it is neither shown nor offered. */
  withoutOriginal?: boolean
  /** What is said and offered when browsers cannot display the photo, or it could not be loaded. */
  missing: MissingTexts
  onError: () => void
  /** By a swipe down. */
  onClose: () => void
}

/**
 * One photo as large as possible on a dark ground, with the keys of its dialog: arrows show the neighbours or, when
 * zoomed, pan; + and - zoom, 0 resets; F is full screen, S the slideshow, which Space pauses. A sphere is looked around in,
 * except in a slideshow, a wide picture begins as high as the viewer.
 */
export function PictureViewer(props: PictureViewerProps) {
  const { photo, onPrevious, onNext, screen, caption } = props
  const slideshow = useSlideshow()
  const { full } = screen
  const idle = useIdle(full)
  const gestures = useRef<ZoomHandlers>(null)
  if (slideshow.playing && !full) slideshow.stop()
  return (
    <div
      data-theme="dark"
      {...forwardTo(gestures)}
      className={cx(
        'relative touch-none overflow-hidden bg-black text-text pointer-coarse:[&_button[aria-label]]:size-11',
        full ? 'min-h-0 flex-1' : 'h-[46dvh] shrink-0 beside:h-auto beside:min-w-0 beside:flex-1 beside:shrink',
        idle && 'cursor-none',
      )}
    >
      <Picture key={photo.id} {...props} gestures={gestures} slideshow={slideshow} idle={idle} />
      <div className={fading(idle)}>
        <StepButton label="Previous photo" icon={<ChevronLeft />} onClick={onPrevious} className="left-3" />
        <StepButton label="Next photo" icon={<ChevronRight />} onClick={onNext} className="right-3" />
        {full && (
          <p
            aria-live={slideshow.playing ? 'off' : 'polite'}
            className="absolute top-3 left-3 max-w-[50%] truncate rounded-md bg-surface/90 px-3 py-2 text-sm sm:py-1.5"
          >
            {caption}
          </p>
        )}
        <StageControls {...props} slideshow={slideshow} idle={idle} />
      </div>
    </div>
  )
}

/** Handlers of what is around a picture, for gestures that begin beside it or on a button on top of it. */
function forwardTo(picture: RefObject<ZoomHandlers | null>): ZoomHandlers {
  return {
    onPointerDown: (event) => picture.current?.onPointerDown(event),
    onPointerMove: (event) => picture.current?.onPointerMove(event),
    onPointerUp: (event) => picture.current?.onPointerUp(event),
    onPointerCancel: (event) => picture.current?.onPointerCancel(event),
    onDoubleClick: (event) => picture.current?.onDoubleClick(event),
  }
}

/** Disabled instead of removed at the ends, so that the focus stays where it is. */
function StepButton({ className, ...props }: ComponentProps<typeof IconButton>) {
  const classes = `absolute top-1/2 -translate-y-1/2 shadow-low aria-disabled:opacity-30 ${className}`
  return <IconButton {...props} data-step variant="overlay" aria-disabled={!props.onClick} className={classes} />
}

/** `gestures`: the handlers of a picture that can be zoomed. */
type PictureProps = PictureViewerProps & Stage & { gestures: Ref<ZoomHandlers> }

function Picture(props: PictureProps) {
  const { photo, slideshow, idle } = props
  const [flat, setFlat] = useState(false)
  const [problem, setProblem] = useState<SphereProblem | null>(null)
  if (photo.projection !== 'sphere' || photo.previewUrl === null) return <ZoomPicture {...props} />

  function lookAround(around: boolean): void {
    setProblem(null)
    setFlat(!around)
  }

  const around = !flat && problem === null && !slideshow.playing
  return (
    <>
      {around ? <SpherePicture {...props} onProblem={setProblem} /> : <ZoomPicture {...props} />}
      {!slideshow.playing && <SphereSwitch around={around} problem={problem} idle={idle} onAround={lookAround} />}
    </>
  )
}

function ZoomPicture(props: PictureProps) {
  const {
    photo,
    withoutOriginal,
    neighbours,
    missing,
    gestures,
    onError,
    onPrevious,
    onNext,
    onClose,
    screen,
    slideshow,
    idle,
  } = props
  const box = useRef<HTMLDivElement>(null)
  const [embedded, setEmbedded] = useState(false)
  const [failed, setFailed] = useState(false)
  const [loaded, setLoaded] = useState(false)
  const [original, setOriginal] = useState(false)
  const [quick] = useState(() => quickSource(photo, document.images))
  // Only on request: it is not the photo that was taken.
  const isHidden = isDng(photo) && !embedded
  const hasPicture = !failed && !isHidden && (embedded || photo.thumbnailUrl !== null)
  const { width, height } = photo
  const zoom = useZoom({
    box,
    picture: hasPicture && width && height ? { width, height } : null,
    fill: photo.projection === 'wide' && !slideshow.playing,
    onPrevious,
    onNext,
    onSwipeDown: screen.full ? screen.leave : onClose,
  })
  useImperativeHandle(gestures, () => zoom.handlers)
  const { view, shownWidth, dragged } = zoom
  const settled = loaded || !hasPicture
  usePreload(neighbours, settled ? zoom.size : null)
  const { playing, seconds } = slideshow
  useSlideTimer(playing, settled ? seconds : Math.max(seconds, MAX_LOADING_SECONDS), onNext ?? slideshow.stop)
  useWholeSlides(playing, zoom, slideshow.stop)
  useStageKeys(box, props, zoom.onKey)
  // Once loaded it stays: switching back would only load again.
  if (!original && hasPicture && !withoutOriginal && needsOriginal((shownWidth ?? 0) * devicePixelRatio, photo))
    setOriginal(true)

  const sources = isHidden ? { src: null } : sourcesForWidth(shownWidth ?? innerWidth, photo)
  return (
    <div
      ref={box}
      className={cx('absolute inset-0 overflow-hidden', zoom.canZoomOut && 'cursor-grab active:cursor-grabbing')}
    >
      <div
        className={cx('size-full', !zoom.held && 'transition-transform')}
        style={{ transform: `translate(${view.x + dragged.x}px, ${view.y + dragged.y}px) scale(${view.scale})` }}
      >
        <PhotoImage
          {...(embedded ? { src: photo.previewUrl } : sources)}
          quick={isHidden ? null : quick}
          alt={altText(photo)}
          thumbhash={photo.thumbhash}
          pending={photo.status === 'processing' ? 'Processing' : undefined}
          fallback={
            <MissingPicture
              {...missing}
              url={withoutOriginal ? null : photo.url}
              onEmbedded={isHidden && photo.previewUrl !== null ? () => setEmbedded(true) : undefined}
            />
          }
          // The preview inside a raw file may be a thumbnail.
          fit={embedded ? 'own-size' : 'contain'}
          eager
          onLoad={() => {
            setFailed(false)
            setLoaded(true)
          }}
          onError={() => {
            setFailed(true)
            onError()
          }}
          className="size-full bg-transparent!"
        />
        {original && <Original url={photo.url} />}
      </div>
      {hasPicture && (
        <ZoomButtons {...zoom} idle={idle}>
          {zoom.canZoomOut && (
            <span className="rounded-md bg-surface/90 px-2 py-1 text-sm font-semibold" aria-live="polite">
              {`${Math.round(view.scale * 100)}%`}
            </span>
          )}
        </ZoomButtons>
      )}
    </div>
  )
}

/** A slideshow passes a picture that has not been loaded after this time. */
const MAX_LOADING_SECONDS = 30

/** A slideshow shows whole pictures: starting it resets the zoom, and zooming pauses it. */
function useWholeSlides(playing: boolean, zoom: ReturnType<typeof useZoom>, pause: () => void): void {
  const isZoomed = zoom.canZoomOut
  const onStart = useEffectEvent(() => zoom.onKey('0'))
  const onZoom = useEffectEvent(pause)
  useEffect(() => {
    if (playing) onStart()
  }, [playing])
  useEffect(() => {
    if (isZoomed) onZoom()
  }, [isZoomed])
}

/** The original on top of its rendition, once it is loaded. */
function Original({ url }: { url: string }) {
  const [loaded, setLoaded] = useState(false)
  return (
    <img
      src={url}
      alt=""
      decoding="async"
      draggable={false}
      data-original
      onLoad={() => setLoaded(true)}
      className={cx('absolute inset-0 size-full object-contain', !loaded && 'invisible')}
    />
  )
}

interface MissingTexts {
  text: string
  detail?: string | null
  downloadLabel: string
  /** The file name of the download; empty: the server's. */
  downloadName: string
}

/**
 * Replaces a picture that cannot be displayed, with the remaining actions. `onEmbedded` shows the camera's preview inside a raw file,
 * if there is one that is not shown already.
 */
function MissingPicture(props: MissingTexts & { url: string | null; onEmbedded?: () => void }) {
  const { url, text, detail, downloadLabel, downloadName, onEmbedded } = props
  return (
    <div className="absolute inset-0 grid place-content-center justify-items-center gap-4 px-16 text-center text-muted">
      <ImageOff aria-hidden className="size-8" strokeWidth={1.5} />
      <div>
        <p className="first-letter:uppercase">{text}</p>
        {detail && <p className="text-sm wrap-anywhere">{detail}</p>}
      </div>
      <div className="flex flex-wrap justify-center gap-2">
        {onEmbedded && (
          <Button onClick={onEmbedded}>
            <ImageIcon aria-hidden /> Show camera preview
          </Button>
        )}
        {url !== null && (
          <Button asChild>
            <a href={url} download={downloadName}>
              <Download aria-hidden /> <span>{downloadLabel}</span>
            </a>
          </Button>
        )}
      </div>
    </div>
  )
}

/** Loads the pictures of the neighbours, for a box of this size, once the picture that is looked at is there. */
function usePreload([before, after]: PictureProps['neighbours'], box: Size | null): void {
  useEffect(() => {
    if (!box || savesData()) return
    for (const photo of [after, before]) if (photo) preload(photo, box)
  }, [before, after, box])
}

function preload(photo: ViewedPhoto, box: Size): void {
  if (isDng(photo)) return
  const { width, height } = photo
  const shownWidth = width && height ? fitInto(box, { width, height }).width : box.width
  const { src, srcSet = '', sizes = '' } = sourcesForWidth(shownWidth, photo)
  // In this order: `src` alone would be loaded.
  if (src !== null) Object.assign(new Image(), { sizes, srcset: srcSet, src })
}
