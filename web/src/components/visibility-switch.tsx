import { useId } from 'react'
import { Switch } from './ui/switch.tsx'
import type { VisibilityControlProps } from './visibility.tsx'

/** The visibility of a photo or a folder as a labelled switch. The explanation has room for two lines, so that nothing moves. */
export function VisibilitySwitch({ isPublic, explanation, onChange }: VisibilityControlProps) {
  const id = useId()
  return (
    <div className="flex min-h-11 items-center justify-between gap-3 sm:min-h-9">
      <div>
        <p id={`${id}-label`} className="font-semibold">
          Public
        </p>
        {explanation && (
          <p id={`${id}-explanation`} className="min-h-10 text-sm text-pretty text-muted">
            {explanation}
          </p>
        )}
      </div>
      <Switch
        checked={isPublic}
        onCheckedChange={onChange}
        aria-labelledby={`${id}-label`}
        aria-describedby={explanation && `${id}-explanation`}
      />
    </div>
  )
}
