import { formatMonth } from '../../lib/format.ts'
import type { Section } from './grid-layout.ts'

/** A year on the timeline, at a pixel of the track. */
export interface YearMark {
  year: string
  top: number
}

const MIN_DISTANCE = 20

/** 'November 2026', or 'No date'. */
export function monthLabel(month: string | null): string {
  return month === null ? 'No date' : formatMonth(month)
}

/** The years of a list whose height is `full`, on a track of `track` pixels: those for which there is room. */
export function yearMarks(sections: readonly Section[], full: number, track: number): YearMark[] {
  const marks: YearMark[] = []
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
  switch (key) {
    case 'ArrowDown':
    case 'ArrowRight':
      return Math.min(index + 1, end)
    case 'ArrowUp':
    case 'ArrowLeft':
      return Math.max(index - 1, 0)
    case 'PageDown':
      return yearAfter(sections, index, 1) ?? end
    case 'PageUp':
      return yearAfter(sections, index, -1) ?? 0
    case 'Home':
      return 0
    case 'End':
      return end
    default:
      return null
  }
}

/** The first section on the way with another year. */
function yearAfter(sections: readonly Section[], index: number, step: 1 | -1): number | null {
  const yearOf = (at: number) => sections[at]?.month?.slice(0, 4)
  for (let at = index + step; at >= 0 && at < sections.length; at += step) if (yearOf(at) !== yearOf(index)) return at
  return null
}
