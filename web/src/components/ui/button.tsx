import { Slot } from 'radix-ui'
import type { ComponentProps, ReactNode } from 'react'
import { cx } from '../../lib/cx.ts'
import { Spinner } from './loading.tsx'

const VARIANTS = {
  primary: 'bg-accent text-on-accent shadow-low hover:brightness-110 active:brightness-95',
  secondary: 'bg-surface text-text shadow-low inset-ring inset-ring-line hover:bg-sunken',
  quiet: 'text-muted hover:bg-sunken hover:text-text',
  danger: 'bg-danger text-surface hover:brightness-110',
}
const SIZES = {
  medium: 'h-11 px-4 sm:h-10',
  small: 'h-11 px-3 text-sm sm:h-8',
}
const BASE =
  'inline-flex shrink-0 items-center justify-center gap-2 rounded-md font-semibold whitespace-nowrap select-none transition disabled:opacity-50 aria-disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0'

interface ButtonProps extends ComponentProps<'button'> {
  variant?: keyof typeof VARIANTS
  size?: keyof typeof SIZES
  /** Shows a spinner and takes no clicks. */
  busy?: boolean
  /** Styles the one child (a link, for example) as the button. */
  asChild?: boolean
}

/** One primary button per screen; the others are secondary or quiet. */
export function Button({ variant = 'secondary', size = 'medium', busy, asChild, className, ...props }: ButtonProps) {
  const classes = cx(BASE, VARIANTS[variant], SIZES[size], className)
  if (asChild) return <Slot.Root className={classes} {...props} />
  const { children, disabled, type = 'button', ...rest } = props
  return (
    <button type={type} className={classes} disabled={disabled || busy} aria-busy={busy} {...rest}>
      {busy && <Spinner className="text-current" />}
      <span className="contents">{children}</span>
    </button>
  )
}

interface IconButtonProps extends ComponentProps<'button'> {
  /** What the button does: its accessible name and title. */
  label: string
  icon: ReactNode
  /** `overlay` is for buttons on top of a photograph. */
  variant?: 'quiet' | 'overlay'
}

/** A button that shows only an icon: 44 px on phones, 36 px elsewhere. */
export function IconButton({ label, icon, variant = 'quiet', className, ...props }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={cx(
        'inline-grid size-11 shrink-0 place-items-center rounded-md transition disabled:opacity-50 sm:size-9 [&>svg]:size-[18px]',
        variant === 'quiet' ? 'text-muted hover:bg-sunken hover:text-text' : 'bg-surface/90 text-text hover:bg-surface',
        className,
      )}
      {...props}
    >
      {icon}
    </button>
  )
}
