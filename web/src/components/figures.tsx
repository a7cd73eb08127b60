import { cx } from '../lib/cx.ts'
import { errorMessage } from '../lib/http.ts'
import { Button } from './ui/button.tsx'

interface FiguresProps {
  /** Their values as text by their labels. */
  figures: Record<string, string>
  className: string
}

export function Figures({ figures, className }: FiguresProps) {
  return (
    <dl className={cx('grid gap-3', className)}>
      {Object.entries(figures).map(([label, value]) => (
        <div
          key={label}
          className="flex items-baseline justify-between gap-4 rounded-lg bg-surface px-4 py-3 shadow-low ring ring-line sm:block sm:p-5"
        >
          <dt className="text-sm text-muted">{label}</dt>
          <dd className="text-xl font-bold tracking-tight whitespace-nowrap sm:text-2xl">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

interface FiguresFailureProps {
  query: { error: unknown; refetch: () => unknown }
  /** What is wrong with the figures, as a sentence. */
  what: string
}

/** Says beside figures that the last reading of them failed. */
export function FiguresFailure({ query: { error, refetch }, what }: FiguresFailureProps) {
  if (!error) return null
  return (
    <p role="alert" className="flex flex-wrap items-center gap-3 rounded-md bg-danger-soft px-4 py-3 text-danger">
      <span className="min-w-48 flex-1">{`${what} ${errorMessage(error)}`}</span>
      <Button size="small" onClick={() => void refetch()}>
        Try again
      </Button>
    </p>
  )
}
