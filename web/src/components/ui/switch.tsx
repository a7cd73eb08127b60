import { Switch as RadixSwitch } from 'radix-ui'
import { SWITCH_THUMB, SWITCH_TRACK } from './menu.tsx'

interface SwitchProps {
  checked: boolean
  onCheckedChange: (checked: boolean) => void
  'aria-labelledby': string
  'aria-describedby'?: string
  /** Takes no clicks, but keeps the focus. */
  'aria-disabled'?: boolean
}

/** A setting that takes effect immediately, without a save button. */
export function Switch({ onCheckedChange, ...props }: SwitchProps) {
  return (
    <RadixSwitch.Root
      {...props}
      onCheckedChange={(checked) => !props['aria-disabled'] && onCheckedChange(checked)}
      className={`${SWITCH_TRACK} after:absolute after:-inset-2 aria-disabled:opacity-50`}
    >
      <RadixSwitch.Thumb className={SWITCH_THUMB} />
    </RadixSwitch.Root>
  )
}
