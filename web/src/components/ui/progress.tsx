import { Progress as RadixProgress } from 'radix-ui'

interface ProgressProps {
  /** 0 to 100. */
  value: number
  label: string
}

export function Progress({ value, label }: ProgressProps) {
  return (
    <RadixProgress.Root value={value} aria-label={label} className="h-1.5 overflow-hidden rounded-full bg-sunken">
      <RadixProgress.Indicator
        className="h-full origin-left rounded-full bg-accent transition-transform"
        style={{ transform: `scaleX(${value / 100})` }}
      />
    </RadixProgress.Root>
  )
}
