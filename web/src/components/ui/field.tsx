import { Check, ChevronDown, CircleAlert } from 'lucide-react'
import { type ComponentProps, type ReactNode, useId } from 'react'
import { Link } from 'react-router-dom'
import { cx } from '../../lib/cx.ts'

const CONTROL =
  'w-full rounded-md bg-surface text-text inset-ring inset-ring-line transition placeholder:text-muted hover:inset-ring-muted/60 focus-visible:outline-offset-0 disabled:opacity-50 aria-invalid:inset-ring-danger'

/** The attributes that connect a control with its label, hint and error. */
interface ControlProps {
  id: string
  'aria-invalid': boolean
  'aria-describedby': string | undefined
}

interface FieldProps {
  label: string
  /** The control: spread the given attributes on it. */
  children: (control: ControlProps) => ReactNode
  error?: string
  hint?: ReactNode
  optional?: boolean
}

/** A labelled control with its hint and its validation error. */
export function Field({ label, children, error, hint, optional }: FieldProps) {
  const id = useId()
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div className="grid content-start gap-1.5">
      <label htmlFor={id} className="text-sm font-semibold">
        <span>{label}</span> {optional && <span className="font-normal text-muted">(optional)</span>}
      </label>
      {children({ id, 'aria-invalid': Boolean(error), 'aria-describedby': describedBy || undefined })}
      {hint && (
        <p id={`${id}-hint`} className="text-sm text-muted">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} role="alert" className="text-sm text-danger">
          {error}
        </p>
      )}
    </div>
  )
}

export function Input({ className, ...props }: ComponentProps<'input'>) {
  return <input className={cx(CONTROL, 'h-11 px-3 text-[16px] sm:h-10 sm:text-base', className)} {...props} />
}

export function Textarea({ className, ...props }: ComponentProps<'textarea'>) {
  return <textarea className={cx(CONTROL, 'min-h-24 px-3 py-2 text-[16px] sm:text-base', className)} {...props} />
}

/** The browser's own select: it works best on phones and with a keyboard. Its children are options. */
export function Select({ className, ...props }: ComponentProps<'select'>) {
  return (
    <span className={cx('relative block', className)}>
      <select className={cx(CONTROL, 'h-11 appearance-none truncate pr-9 pl-3 sm:h-10')} {...props} />
      <ChevronDown
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-3 size-4 -translate-y-1/2 text-muted"
      />
    </span>
  )
}

interface CheckboxProps extends ComponentProps<'input'> {
  label: ReactNode
  hint?: ReactNode
  error?: string
}

/** A checkbox with its label; the whole line is the click target. */
export function Checkbox({ label, hint, error, ...props }: CheckboxProps) {
  const id = useId()
  return (
    <div>
      <label className="flex min-h-11 items-start gap-2.5 py-2.5 sm:min-h-0 sm:py-1">
        <span className="relative mt-0.5 grid size-5 shrink-0 place-items-center">
          <input
            type="checkbox"
            className="peer size-5 appearance-none rounded-[6px] bg-surface inset-ring inset-ring-muted/70 transition checked:bg-accent checked:inset-ring-accent hover:inset-ring-muted disabled:opacity-50 aria-invalid:inset-ring-danger"
            aria-invalid={Boolean(error)}
            aria-describedby={error ? `${id}-error` : undefined}
            {...props}
          />
          <Check
            aria-hidden
            strokeWidth={3}
            className="pointer-events-none absolute size-3.5 text-on-accent opacity-0 peer-checked:opacity-100"
          />
        </span>
        <span>
          <span>{label}</span>
          {hint && <span className="block text-sm text-muted">{hint}</span>}
        </span>
      </label>
      {error && (
        <p id={`${id}-error`} role="alert" className="text-sm text-danger">
          {error}
        </p>
      )}
    </div>
  )
}

interface RadioProps extends ComponentProps<'input'> {
  'data-autofocus'?: boolean
  label: string
  hint?: string
}

/** One of several choices with its label; the whole line is the click target. */
export function Radio({ label, hint, ...props }: RadioProps) {
  return (
    <label className="flex min-h-11 cursor-pointer items-start gap-2.5 py-2.5 sm:min-h-0 sm:py-1 has-disabled:cursor-default has-disabled:opacity-50">
      <input type="radio" className="mt-0.5 size-5 shrink-0 accent-accent" {...props} />
      <span>
        <span>{label}</span>
        {hint && <span className="block text-sm text-muted">{hint}</span>}
      </span>
    </label>
  )
}

/** What failed, as a sentence that stays. */
export function AlertText({ children }: { children: string }) {
  return (
    <p role="alert" className="flex gap-2 rounded-md bg-danger-soft px-3 py-2.5 text-sm text-danger">
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </p>
  )
}

interface PageLinkProps {
  to: string
  children: string
}

/** A link within a form: the page opens in a new tab, so that nothing that was entered is lost. */
export function PageLink({ to, children }: PageLinkProps) {
  return (
    <Link to={to} target="_blank" className="font-semibold text-accent underline">
      {children}
      <span className="sr-only"> (opens in a new tab)</span>
    </Link>
  )
}
