import { Image, Rotate3d } from 'lucide-react'
import { Button } from '../../../components/ui/button.tsx'
import { cx } from '../../../lib/cx.ts'
import type { SphereProblem } from './sphere-picture.tsx'

const TEXTS: Record<SphereProblem, string> = {
  unsupported: 'This browser cannot show 360° pictures: it has no WebGL.',
  failed: 'The 360° picture could not be shown.',
}

interface SphereSwitchProps {
  around: boolean
  problem: SphereProblem | null
  /** Its buttons are hidden. */
  idle: boolean
  /** Shows the sphere or the flat picture; after a problem the sphere again. */
  onAround: (around: boolean) => void
}

/** Chooses between looking around and the flat picture, and says why there is only that. */
export function SphereSwitch({ around, problem, idle, onAround }: SphereSwitchProps) {
  return (
    <div
      className={cx(
        'absolute bottom-3 left-3 flex max-w-[55%] flex-wrap items-center gap-2 transition-opacity has-focus-visible:opacity-100',
        idle && 'opacity-0',
      )}
    >
      {problem && (
        <p role="status" className="rounded-md bg-surface/90 px-3 py-1.5 text-sm">
          {TEXTS[problem]}
        </p>
      )}
      {problem !== 'unsupported' && (
        <Button size="small" className="bg-surface/90" onClick={() => onAround(!around)}>
          {around ? <Image aria-hidden /> : <Rotate3d aria-hidden />}
          {around ? 'Flat picture' : problem ? 'Retry' : 'Look around'}
        </Button>
      )}
    </div>
  )
}
