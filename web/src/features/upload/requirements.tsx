import { ChevronDown, Info } from 'lucide-react'
import type { AppConfig } from '../../api/types.ts'
import { formatNumber } from '../../lib/format.ts'
import { sizeRule } from './limits.ts'

/** The limits of this installation, and what makes good prints. `compact`: one line, which opens. */
export function Requirements({ config, compact }: { config: AppConfig; compact: boolean }) {
  const { limits } = config
  return (
    <details open={!compact} className="group rounded-md bg-accent-soft text-sm">
      <summary className="flex min-h-11 cursor-pointer items-center gap-3 rounded-md px-4 font-semibold sm:min-h-10 [&::-webkit-details-marker]:hidden">
        <Info aria-hidden className="size-4 shrink-0 text-accent" />
        Upload requirements
        <ChevronDown aria-hidden className="ml-auto size-4 text-muted transition group-open:rotate-180" />
      </summary>
      <ul className="list-disc pr-4 pb-3 pl-15 marker:text-muted">
        <li>{sizeRule(config)}</li>
        <li>
          At least {limits.minWidth}x{limits.minHeight} pixels, 1200x1800 or more recommended; at most{' '}
          {formatNumber(Math.floor(limits.maxPixels / 1_000_000))} megapixels
        </li>
        <li>sRGB color space recommended</li>
      </ul>
    </details>
  )
}
