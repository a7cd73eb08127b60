import {
  type MouseEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import type { Stage } from './photo-frame.tsx'

/** One key press or click. */
const ZOOM_STEP = 1.5
/** A double click on the whole picture. */
const DOUBLE_CLICK_ZOOM = 3
/** Zoom per pixel of the wheel; a touchpad reports a pinch as small wheel steps with Control. */
const WHEEL_ZOOM = 0.002
const PINCH_ZOOM = 0.01
const SWIPE_PIXELS = 48
/** Longer than a swipe sideways: closing is no small step. */
const CLOSING_PIXELS = 96
/** The browser's own gestures, such as Back, begin at the edges of the screen. */
const EDGE_PIXELS = 24
/** A touch that moves less is a tap; two taps are a double tap when they are this close in time and place. */
const TAP_PIXELS = 10
const DOUBLE_TAP_MS = 300
const DOUBLE_TAP_PIXELS = 40
/** Beyond the first and the last photo a finger moves the picture by a part of its way only. */
const RESISTANCE = 0.25
const PAN_PIXELS = 80
const PAN_DIRECTIONS: Record<string, Point> = {
  ArrowLeft: { x: 1, y: 0 },
  ArrowRight: { x: -1, y: 0 },
  ArrowUp: { x: 0, y: 1 },
  ArrowDown: { x: 0, y: -1 },
}

interface ZoomOptions extends Pick<Stage, 'onPrevious' | 'onNext'> {
  onSwipeDown: () => void
  box: RefObject<HTMLElement | null>
  /** Size of the photo in pixels; null: it cannot be zoomed. */
  picture: Size | null
  /** Begins with a picture as high as the box. */
  fill: boolean
}

/**
 * Zoom and pan of one picture by wheel, pinch, drag, double click or tap, and keys; on an unzoomed picture a touch swipes
 * to the neighbours, or down.
 */
export function useZoom({ box, picture, fill, onPrevious, onNext, onSwipeDown }: ZoomOptions) {
  const size = useSize(box)
  const [requested, setRequested] = useState<View | null>(null)
  const [held, setHeld] = useState(false)
  const pointers = useRef(new Map<number, Point>())
  const swipeFrom = useRef<Point | null>(null)
  const [dragged, setDragged] = useState(ORIGIN)
  const touched = useRef<Point | null>(null)
  const lastTap = useRef<(Point & { time: number }) | null>(null)

  const fitted = size && picture ? fitInto(size, picture) : null
  const limitScale = fitted && picture ? maxScale(fitted, picture, devicePixelRatio) : 1
  const limit = (view: View): View => (size && fitted ? clampView(view, size, fitted, limitScale) : INITIAL_VIEW)
  const start = fill && size && fitted ? fillingView(size, fitted) : INITIAL_VIEW
  // Also after a resize of the box.
  const view = limit(requested ?? start)

  function change(to: (from: View) => View): void {
    setRequested((before) => limit(to(limit(before ?? start))))
  }

  function zoom(factor: number, at: Point = { x: 0, y: 0 }): void {
    change((from) => zoomAround(from, limit({ ...from, scale: from.scale * factor }).scale, at))
  }

  function pan({ x, y }: Point): void {
    change((from) => ({ ...from, x: from.x + x, y: from.y + y }))
  }

  function pointOf({ clientX, clientY }: { clientX: number; clientY: number }): Point {
    const rect = box.current?.getBoundingClientRect()
    if (!rect) return { x: 0, y: 0 }
    return { x: clientX - rect.left - rect.width / 2, y: clientY - rect.top - rect.height / 2 }
  }

  const onWheel = useEffectEvent((event: WheelEvent) => {
    if (!fitted) return
    event.preventDefault()
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * 32 : event.deltaY
    zoom(Math.exp(-pixels * (event.ctrlKey ? PINCH_ZOOM : WHEEL_ZOOM)), pointOf(event))
  })
  useEffect(() => {
    const element = box.current
    // React's listeners are passive and could not prevent scrolling.
    element?.addEventListener('wheel', onWheel, { passive: false })
    return () => element?.removeEventListener('wheel', onWheel)
  }, [box])

  function onPointerDown(event: PointerEvent<HTMLElement>): void {
    if (event.button !== 0) return
    const alone = pointers.current.size === 0
    const atEdge = event.clientX < EDGE_PIXELS || event.clientX > innerWidth - EDGE_PIXELS
    const swipes = alone && event.pointerType === 'touch' && view.scale === 1 && !atEdge
    const control = (event.target as Element).closest('a, button, select')
    if (control && !(swipes && control.matches('[data-step]'))) return
    pointers.current.set(event.pointerId, pointOf(event))
    touched.current = event.pointerType === 'touch' && !control ? pointOf(event) : null
    swipeFrom.current = swipes ? pointOf(event) : null
    if (!alone) {
      setDragged(ORIGIN)
      lastTap.current = null
    }
    if (view.scale > 1 || !alone) {
      event.currentTarget.setPointerCapture(event.pointerId)
      setHeld(true)
    }
  }

  function onPointerMove(event: PointerEvent<HTMLElement>): void {
    const from = pointers.current.get(event.pointerId)
    if (!from) return
    const to = pointOf(event)
    const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1]
    pointers.current.set(event.pointerId, to)
    if (swipeFrom.current) {
      drag(between(swipeFrom.current, to))
    } else if (!fitted) {
      return
    } else if (other) {
      const middle = { x: (to.x + other.x) / 2, y: (to.y + other.y) / 2 }
      zoom(distance(to, other) / Math.max(distance(from, other), 1), middle)
      pan({ x: (to.x - from.x) / 2, y: (to.y - from.y) / 2 })
    } else if (view.scale > 1) {
      pan({ x: to.x - from.x, y: to.y - from.y })
    }
  }

  /** The picture follows the finger sideways or down. */
  function drag({ x, y }: Point): void {
    if (Math.hypot(x, y) < TAP_PIXELS) return
    setHeld(true)
    if (Math.abs(x) <= Math.abs(y)) setDragged({ x: 0, y: Math.max(y, 0) })
    else setDragged({ x: (x < 0 ? onNext : onPrevious) ? x : x * RESISTANCE, y: 0 })
  }

  function onPointerUp(event: PointerEvent<HTMLElement>): void {
    pointers.current.delete(event.pointerId)
    if (pointers.current.size === 0) setHeld(false)
    setDragged(ORIGIN)
    const from = swipeFrom.current
    swipeFrom.current = null
    if (event.type !== 'pointerup' || pointers.current.size > 0) return
    const to = pointOf(event)
    tap(to, event.timeStamp)
    if (!from) return
    const { x, y } = between(from, to)
    if (Math.abs(x) <= Math.abs(y)) {
      if (y >= CLOSING_PIXELS) onSwipeDown()
    } else if (Math.abs(x) >= SWIPE_PIXELS) {
      if (x < 0) onNext?.()
      else onPrevious?.()
    }
  }

  function tap(at: Point, time: number): void {
    const last = lastTap.current
    lastTap.current = null
    if (!touched.current || distance(at, touched.current) > TAP_PIXELS) return
    const isSecond = last && time - last.time < DOUBLE_TAP_MS && distance(at, last) < DOUBLE_TAP_PIXELS
    if (isSecond) toggleZoom(at)
    else lastTap.current = { ...at, time }
  }

  function toggleZoom(at: Point): void {
    zoom(view.scale > 1 ? 0 : DOUBLE_CLICK_ZOOM, at)
  }

  /** Two taps are a double click in some browsers only: `tap` counts them. */
  function onDoubleClick(event: MouseEvent<HTMLElement>): void {
    if (touched.current || (event.target as Element).closest('a, button')) return
    toggleZoom(pointOf(event))
  }

  /** Returns whether the key was handled; arrows only while there is something to pan. */
  function onKey(key: string): boolean {
    const direction = view.scale > 1 ? PAN_DIRECTIONS[key] : undefined
    if (direction) pan({ x: direction.x * PAN_PIXELS, y: direction.y * PAN_PIXELS })
    else if (key === '+' || key === '=') zoom(ZOOM_STEP)
    else if (key === '-') zoom(1 / ZOOM_STEP)
    else if (key === '0') setRequested(INITIAL_VIEW)
    else return false
    return true
  }

  return {
    view,
    /** Of the box; null before it is measured. */
    size,
    /** How far a finger moves the whole picture sideways or down, in pixels. */
    dragged,
    /** A finger or the mouse drags the picture: it follows without a transition. */
    held,
    /** The displayed width of the picture in CSS pixels; null before it is known. */
    shownWidth: fitted && fitted.width * view.scale,
    canZoomIn: fitted !== null && view.scale < limitScale,
    canZoomOut: view.scale > 1,
    onZoomIn: () => zoom(ZOOM_STEP),
    onZoomOut: () => zoom(1 / ZOOM_STEP),
    onKey,
    /** Of the picture and of the buttons on top of it: a swipe may begin on one with `data-step`. */
    handlers: { onPointerDown, onPointerMove, onPointerUp, onPointerCancel: onPointerUp, onDoubleClick },
  }
}

export type ZoomHandlers = ReturnType<typeof useZoom>['handlers']

function between(from: Point, to: Point): Point {
  return { x: to.x - from.x, y: to.y - from.y }
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y)
}

function useSize(element: RefObject<HTMLElement | null>): Size | null {
  const [size, setSize] = useState<Size | null>(null)
  useLayoutEffect(() => {
    const box = element.current
    if (!box) return
    const measure = () => setSize({ width: box.clientWidth, height: box.clientHeight })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(box)
    return () => observer.disconnect()
  }, [element])
  return size
}

export interface Size {
  width: number
  height: number
}

/** Pixels from the centre of the box. */
interface Point {
  x: number
  y: number
}

/** The view of a picture in its box: scale 1 shows it whole; `x` and `y` move its centre, in pixels. */
interface View extends Point {
  scale: number
}

const ORIGIN: Point = { x: 0, y: 0 }
export const INITIAL_VIEW: View = { scale: 1, x: 0, y: 0 }

/** Bounds of the maximum scale. */
const MIN_ENLARGEMENT = 2
const MAX_ENLARGEMENT = 32
/** At most this many screen pixels for one pixel of the photo. */
const SCREEN_PIXELS_PER_PIXEL = 2

/** The size of a picture that is shown whole in a box. */
export function fitInto(box: Size, picture: Size): Size {
  const scale = Math.min(box.width / picture.width, box.height / picture.height)
  return { width: picture.width * scale, height: picture.height * scale }
}

/** The maximum scale of a picture that is `fitted` at scale 1: more would show no further details. */
export function maxScale(fitted: Size, picture: Size, pixelRatio: number): number {
  const full = (picture.width * SCREEN_PIXELS_PER_PIXEL) / (fitted.width * pixelRatio)
  return clamp(full || 0, MIN_ENLARGEMENT, MAX_ENLARGEMENT)
}

/** The view of a wide picture that is as high as its box. */
export function fillingView(box: Size, fitted: Size): View {
  return { scale: Math.max(1, box.height / fitted.height), x: 0, y: 0 }
}

/** The view with its scale within bounds, and without a gap between the picture's and the box's edges. */
export function clampView({ scale, x, y }: View, box: Size, fitted: Size, largest: number): View {
  const allowed = clamp(scale, 1, largest)
  const reachX = Math.max(0, (fitted.width * allowed - box.width) / 2)
  const reachY = Math.max(0, (fitted.height * allowed - box.height) / 2)
  return { scale: allowed, x: clamp(x, -reachX, reachX), y: clamp(y, -reachY, reachY) }
}

/** The view at another scale; the content at the point stays there. */
export function zoomAround(view: View, scale: number, at: Point): View {
  const factor = scale / view.scale
  return { scale, x: at.x - (at.x - view.x) * factor, y: at.y - (at.y - view.y) * factor }
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most) + 0 // Never a negative zero.
}
