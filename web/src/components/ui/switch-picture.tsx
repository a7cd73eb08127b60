export const TRACK = 'relative h-7 w-12 shrink-0 rounded-full bg-muted p-0.5 transition data-[state=checked]:bg-accent'
export const THUMB = 'block size-6 rounded-full bg-surface shadow-low transition data-[state=checked]:translate-x-5'

/** The picture of a switch, for a control that is one itself. */
export function SwitchPicture({ checked }: { checked: boolean }) {
  const state = checked ? 'checked' : 'unchecked'
  return (
    <span aria-hidden data-state={state} className={TRACK}>
      <span data-state={state} className={THUMB} />
    </span>
  )
}
