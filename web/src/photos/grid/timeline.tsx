import { type KeyboardEvent, type PointerEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { cx } from '../../lib/cx.ts'
import { countOf, formatMonth } from '../../lib/format.ts'
import { type Section, sectionBefore } from './grid-layout.ts'
import type { PhotoLayout } from './photo-layout.ts'
import type { GridRows } from './use-visible-rows.ts'

/** Between the top bar and the track, and between the track and the bottom of the window. */
const TOP = 76
const BOTTOM = 24
/** On a touch screen the handle is shown while the list scrolls, and for this time after. */
const SHOWN_MS = 1500

/**
 * The months of a long list beside it, as a slider: a drag, a click or a key jumps there. It names the month under the pointer, and
 * with the focus the one that is shown. Touch screens show only its handle, while the list scrolls.
 */
export function Timeline({ rows }: { rows: GridRows<PhotoLayout> }) {
  const { sections } = rows.layout
  const track = innerHeight - TOP - BOTTOM
  const full = Math.max(1, rows.fullHeight)
  const handle = useRef<HTMLDivElement>(null)
  const [current, setCurrent] = useState(0)
  const [dragging, setDragging] = useState(false)
  /** The pixel of the track under the pointer. */
  const [pointed, setPointed] = useState<number | null>(null)
  const [scrolling, setScrolling] = useState(false)
  const section = sections[Math.min(current, sections.length - 1)]

  const follow = useEffectEvent(() => {
    const y = Math.min(Math.max(rows.scrolled(), 0), full)
    handle.current?.style.setProperty('translate', `0 ${Math.round((y / full) * track)}px`)
    const at = sectionBefore(sections, 'top', y)
    setCurrent(at ? sections.indexOf(at) : 0)
  })

  // The list places its rows by the same event, so that the position is known in the next frame.
  useEffect(() => {
    let frame = 0
    let hide: ReturnType<typeof setTimeout> | undefined
    const update = () => {
      frame = 0
      follow()
    }
    const onScroll = () => {
      frame ||= requestAnimationFrame(update)
      setScrolling(true)
      clearTimeout(hide)
      hide = setTimeout(() => setScrolling(false), SHOWN_MS)
    }
    addEventListener('scroll', onScroll, { passive: true })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(hide)
      removeEventListener('scroll', onScroll)
    }
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another layout has other months at this position
  useEffect(() => follow(), [rows.layout])

  function point({ clientY }: PointerEvent, jumps: boolean): void {
    const at = Math.min(Math.max(clientY - TOP, 0), track)
    setPointed(at)
    if (jumps) rows.scrollTo((at / track) * full)
  }

  function release({ pointerType }: PointerEvent): void {
    setDragging(false)
    if (pointerType !== 'mouse') setPointed(null)
  }

  function onKeyDown(event: KeyboardEvent): void {
    const target = sectionAfterKey(event.key, current, sections)
    if (target === null || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    setCurrent(target)
    rows.scrollTo(sections[target]?.top ?? 0)
  }

  const label = monthLabel(section?.month ?? null)
  return (
    <div
      role="slider"
      aria-label="Timeline"
      aria-orientation="vertical"
      aria-valuemin={0}
      aria-valuemax={sections.length - 1}
      aria-valuenow={current}
      aria-valuetext={`${label}, ${countOf(section?.count ?? 0, 'photo')}`}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        setDragging(true)
        point(event, true)
      }}
      onPointerMove={(event) => point(event, dragging)}
      onPointerLeave={() => !dragging && setPointed(null)}
      onPointerUp={release}
      onPointerCancel={release}
      className={cx(
        'group fixed right-0 z-20 w-7 touch-none select-none outline-none transition-opacity pointer-coarse:pointer-events-none',
        !scrolling && !dragging && 'pointer-coarse:opacity-0 focus-visible:opacity-100',
      )}
      style={{ top: TOP, height: track }}
    >
      {yearMarks(sections, full, track).map(({ year, top }) => (
        <span
          key={`${year} ${top}`}
          aria-hidden
          className="pointer-events-none absolute right-0.5 hidden text-[11px] tabular-nums text-muted sm:pointer-fine:block"
          style={{ top }}
        >
          {year}
        </span>
      ))}
      <div
        ref={handle}
        aria-hidden
        className={cx(
          'absolute top-0 right-0 pointer-coarse:top-[-22px] pointer-coarse:grid pointer-coarse:h-11 pointer-coarse:w-11 pointer-coarse:place-items-center pointer-coarse:rounded-l-full pointer-coarse:bg-surface pointer-coarse:shadow-high pointer-coarse:ring pointer-coarse:ring-line',
          (scrolling || dragging) && 'pointer-coarse:pointer-events-auto',
        )}
      >
        <span className="block h-0.5 w-7 rounded-full bg-accent pointer-coarse:w-4" />
        {pointed === null && (
          <span className={cx(LABEL, '-top-3.5 hidden ring-2 ring-accent group-focus-visible:block')}>{label}</span>
        )}
      </div>
      {pointed !== null && (
        <span
          aria-hidden
          className={cx(LABEL, '-translate-y-1/2 ring ring-line pointer-coarse:right-14')}
          style={{ top: pointed }}
        >
          {monthLabel(sectionBefore(sections, 'top', (pointed / track) * full)?.month ?? null)}
        </span>
      )}
    </div>
  )
}

const LABEL =
  'pointer-events-none absolute right-9 rounded-md bg-surface px-2.5 py-1 text-sm font-semibold whitespace-nowrap shadow-high'

const MIN_DISTANCE = 20

/** 'November 2026', or 'No date'. */
export function monthLabel(month: string | null): string {
  return month === null ? 'No date' : formatMonth(month)
}

/** The years of a list whose height is `full`, at pixels of a track of `track` pixels: those for which there is room. */
export function yearMarks(sections: readonly Section[], full: number, track: number) {
  const marks: { year: string; top: number }[] = []
  let before: string | null = null
  for (const { month, top } of sections) {
    const year = month?.slice(0, 4) ?? null
    if (year === null || year === before) continue
    before = year
    const at = Math.round((top / full) * track)
    const last = marks.at(-1)
    if (at <= track - MIN_DISTANCE && (!last || at - last.top >= MIN_DISTANCE)) marks.push({ year, top: at })
  }
  return marks
}

/**
 * The section that a key leads to from the one at `index`: arrows go by months, page keys by years. Null for other keys.
 */
export function sectionAfterKey(key: string, index: number, sections: readonly Section[]): number | null {
  const end = sections.length - 1
  if (key === 'ArrowDown' || key === 'ArrowRight') return Math.min(index + 1, end)
  if (key === 'ArrowUp' || key === 'ArrowLeft') return Math.max(index - 1, 0)
  if (key === 'PageDown') return yearAfter(sections, index, 1) ?? end
  if (key === 'PageUp') return yearAfter(sections, index, -1) ?? 0
  if (key === 'Home') return 0
  return key === 'End' ? end : null
}

/** The first section on the way with another year. */
function yearAfter(sections: readonly Section[], index: number, step: 1 | -1): number | null {
  const yearOf = (at: number) => sections[at]?.month?.slice(0, 4)
  for (let at = index + step; at >= 0 && at < sections.length; at += step) if (yearOf(at) !== yearOf(index)) return at
  return null
}
