import { Switch as RadixSwitch } from 'radix-ui'

interface SwitchProps {
  checked: boolean
  onCheckedChange: (checked: boolean) => void
  'aria-labelledby': string
  'aria-describedby'?: string
  /** Takes no clicks, but keeps the focus. */
  'aria-disabled'?: boolean
}

const TRACK = 'relative h-7 w-12 shrink-0 rounded-full bg-muted p-0.5 transition data-[state=checked]:bg-accent'
const THUMB = 'block size-6 rounded-full bg-surface shadow-low transition data-[state=checked]:translate-x-5'

/** A setting that takes effect immediately, without a save button. */
export function Switch({ onCheckedChange, ...props }: SwitchProps) {
  return (
    <RadixSwitch.Root
      {...props}
      onCheckedChange={(checked) => !props['aria-disabled'] && onCheckedChange(checked)}
      className={`${TRACK} after:absolute after:-inset-2 aria-disabled:opacity-50`}
    >
      <RadixSwitch.Thumb className={THUMB} />
    </RadixSwitch.Root>
  )
}

/** The picture of a switch, for a control that is one itself. */
export function SwitchPicture({ checked }: { checked: boolean }) {
  const state = checked ? 'checked' : 'unchecked'
  return (
    <span aria-hidden data-state={state} className={TRACK}>
      <span data-state={state} className={THUMB} />
    </span>
  )
}
