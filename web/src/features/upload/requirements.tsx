import { Info } from 'lucide-react'
import type { AppConfig } from '../../api/types.ts'
import { formatNumber } from '../../lib/format.ts'
import { sizeLines } from './limits.ts'

/** The limits of this installation, and what makes good prints. */
export function Requirements({ config: { limits, formats } }: { config: AppConfig }) {
  return (
    <div className="flex gap-3 rounded-md bg-accent-soft px-4 py-3 text-sm">
      <Info aria-hidden className="mt-0.5 size-4 shrink-0 text-accent" />
      <div>
        <p className="font-semibold">Upload requirements</p>
        <ul className="mt-0.5 list-disc pl-4 marker:text-muted">
          {sizeLines(formats).map((line) => (
            <li key={line}>{line}</li>
          ))}
          <li>
            At least {limits.minWidth}x{limits.minHeight} pixels, 1200x1800 or more recommended; at most{' '}
            {formatNumber(Math.floor(limits.maxPixels / 1_000_000))} megapixels
          </li>
          <li>sRGB color space recommended</li>
        </ul>
      </div>
    </div>
  )
}
