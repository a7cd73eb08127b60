import { Image, Rotate3d, Smartphone } from 'lucide-react'
import { type RefObject, useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { lazyModule } from '../../../components/lazy.tsx'
import { quickSource } from '../../../components/renditions.ts'
import { Button, IconButton } from '../../../components/ui/button.tsx'
import { Spinner } from '../../../components/ui/loading.tsx'
import { toast } from '../../../components/ui/toast.tsx'
import { cx } from '../../../lib/cx.ts'
import { altText } from '../../../lib/format.ts'
import { fading, type Stage, useStageKeys, ZoomButtons } from '../photo-frame.tsx'
import {
  openUntilClosed,
  type Panorama,
  savesData,
  spherePictures,
  type ViewedPhoto,
  viewAfterKey,
  zoomed,
} from './sphere.ts'
import type { SphereCanvas } from './sphere-canvas.ts'

// Much code, which only spheres need.
const canvasModule = lazyModule(() => import('./sphere-canvas.ts'))

/** Why a sphere is shown as a flat picture. */
export type SphereProblem = 'unsupported' | 'failed'

/** Reads the photo's GPano; resolves with undefined when it has none any more. */
export type LoadPanorama = () => Promise<Panorama | undefined>

interface SpherePictureProps extends Stage {
  photo: ViewedPhoto
  withoutOriginal?: boolean
  loadPanorama: LoadPanorama
  onProblem: (problem: SphereProblem) => void
}

/** A sphere to look around in, by dragging, touch, wheel, keys, buttons, and movements of the device. */
export function SpherePicture(props: SpherePictureProps) {
  const { photo, idle } = props
  const container = useRef<HTMLDivElement>(null)
  const canvas = useSphere(container, props)
  const help = useId()
  const [quick] = useState(() => quickSource(photo, document.images))

  function zoom(steps: number): void {
    canvas?.show(zoomed(canvas.view(), steps))
  }

  useStageKeys(container, props, (key) => {
    const view = canvas && viewAfterKey(key, canvas.view(), canvas.initial)
    if (view) canvas.show(view)
    return view !== null
  })

  return (
    <div className="absolute inset-0 overflow-hidden">
      {!canvas && quick && (
        <img src={quick} alt="" draggable={false} className="absolute inset-0 size-full object-contain opacity-60" />
      )}
      <div
        // Arrow keys of screen readers reach the page.
        role="application"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it takes keys
        tabIndex={0}
        aria-roledescription="360° picture"
        aria-label={altText(photo)}
        aria-describedby={help}
        aria-busy={!canvas}
        className="absolute inset-0 cursor-grab touch-none outline-none active:cursor-grabbing focus-visible:ring-2 focus-visible:ring-accent focus-visible:ring-inset"
      >
        <div
          ref={container}
          className={cx(
            'size-full [&_.psv-container]:bg-black! [&_.psv-loader-container]:hidden!',
            !canvas && 'invisible',
          )}
        />
      </div>
      <p id={help} hidden>
        Arrow keys look around, plus and minus zoom, 0 returns to the first view.
      </p>
      {canvas ? (
        <ZoomButtons idle={idle} onZoomIn={() => zoom(1)} onZoomOut={() => zoom(-1)}>
          <MotionButton canvas={canvas} />
        </ZoomButtons>
      ) : (
        <div className="pointer-events-none absolute inset-0 grid place-items-center text-3xl">
          <Spinner label="Loading 360° picture" className="text-text" />
        </div>
      )}
    </div>
  )
}

/** The sphere in the container once its first picture is shown; null until then. */
function useSphere(container: RefObject<HTMLDivElement | null>, props: SpherePictureProps): SphereCanvas | null {
  const { photo, withoutOriginal = false, loadPanorama, onProblem } = props
  const [canvas, setCanvas] = useState<SphereCanvas | null>(null)
  const report = useEffectEvent(onProblem)
  const open = useEffectEvent(async (element: HTMLElement): Promise<SphereCanvas> => {
    const [{ openSphere }, panorama] = await Promise.all([canvasModule.load(), loadPanorama()])
    if (!panorama) throw new Error('the photo is no sphere any more')
    return openSphere(element, panorama, spherePictures(photo, withoutOriginal || savesData()), () => report('failed'))
  })

  useEffect(() => {
    const parent = container.current
    if (!parent) return
    if (!hasWebGl()) return report('unsupported')
    // Its own element: a sphere that is still being opened never meets the next one.
    const element = document.createElement('div')
    element.className = 'size-full'
    parent.append(element)
    const close = openUntilClosed(
      () => open(element),
      setCanvas,
      () => report('failed'),
    )
    return () => {
      close()
      setCanvas(null)
      element.remove()
    }
  }, [container])
  return canvas
}

function hasWebGl(): boolean {
  const context = document.createElement('canvas').getContext('webgl2')
  context?.getExtension('WEBGL_lose_context')?.loseContext()
  return context !== null
}

/** Turns the view with the device; only where there are movements. */
function MotionButton({ canvas }: { canvas: SphereCanvas }) {
  const [supported, setSupported] = useState(false)
  const [on, setOn] = useState(false)
  useEffect(() => {
    let left = false
    canvas.hasMotion().then((supports) => left || setSupported(supports))
    return () => {
      left = true
    }
  }, [canvas])
  if (!supported) return null

  async function toggle(): Promise<void> {
    if (on) {
      canvas.stopMotion()
      return setOn(false)
    }
    try {
      await canvas.startMotion()
      setOn(true)
    } catch {
      toast({ title: 'Movements of the device are not allowed', description: 'Allow them in the browser’s settings.' })
    }
  }

  return (
    <IconButton
      label="Look around by moving the device"
      icon={<Smartphone />}
      variant="overlay"
      aria-pressed={on}
      onClick={toggle}
      className="aria-pressed:bg-accent aria-pressed:text-on-accent"
    />
  )
}

const TEXTS: Record<SphereProblem, string> = {
  unsupported: 'This browser cannot show 360° pictures: it has no WebGL.',
  failed: 'The 360° picture could not be shown.',
}

interface SphereSwitchProps {
  around: boolean
  problem: SphereProblem | null
  idle: boolean
  onAround: (around: boolean) => void
}

/** Chooses between looking around and the flat picture, and says why there is only that; Retry looks around again. */
export function SphereSwitch({ around, problem, idle, onAround }: SphereSwitchProps) {
  return (
    <div className={cx('absolute bottom-3 left-3 flex max-w-[55%] flex-wrap items-center gap-2', fading(idle))}>
      {problem && (
        <p role="status" className="rounded-md bg-surface/90 px-3 py-1.5 text-sm">
          {TEXTS[problem]}
        </p>
      )}
      {problem !== 'unsupported' && (
        <Button size="small" className="bg-surface/90" onClick={() => onAround(!around)}>
          {around ? <Image aria-hidden /> : <Rotate3d aria-hidden />}
          <span>{around ? 'Flat picture' : problem ? 'Retry' : 'Look around'}</span>
        </Button>
      )}
    </div>
  )
}
