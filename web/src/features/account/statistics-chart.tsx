import { useId, useState } from 'react'
import { Link } from 'react-router-dom'
import { Button } from '../../components/ui/button.tsx'
import { cx } from '../../lib/cx.ts'
import { countOf, formatBytes } from '../../lib/format.ts'
import { type StorageRow, shownRows } from './statistics-rows.ts'

interface StorageChartProps {
  title: string
  /** What the first column names. */
  column: string
  rows: readonly StorageRow[]
}

/** Bars with their values as text; for screen readers it is a table. */
export function StorageChart({ title, column, rows }: StorageChartProps) {
  const id = useId()
  const [all, setAll] = useState(false)
  const { top, rest } = shownRows(rows, all ? rows.length : undefined)
  const largest = Math.max(...rows.map(({ bytes }) => bytes), 1)
  return (
    <section
      aria-labelledby={id}
      className="min-w-0 content-start rounded-lg bg-surface p-4 shadow-low ring ring-line sm:p-6"
    >
      <h2 id={id} className="mb-2 text-lg font-semibold">
        {title}
      </h2>
      <table aria-labelledby={id} className="w-full table-fixed border-collapse">
        <colgroup>
          <col />
          <col className="w-30" />
        </colgroup>
        <thead className="sr-only">
          <tr>
            <th scope="col">{column}</th>
            <th scope="col">Storage</th>
          </tr>
        </thead>
        <tbody>
          {top.map((row) => (
            <Row key={row.key} row={row} share={row.bytes / largest} />
          ))}
          {rest && <Row row={rest} share={Math.min(rest.bytes / largest, 1)} quiet />}
        </tbody>
      </table>
      {(rest || all) && (
        <Button
          variant="quiet"
          size="small"
          className="mt-2 -ml-3"
          aria-expanded={all}
          onClick={() => setAll((shown) => !shown)}
        >
          {all ? 'Show fewer' : 'Show all'}
        </Button>
      )}
    </section>
  )
}

/** `share` is the length of the bar, 0 to 1. A `quiet` bar is a sum of several. */
function Row({ row, share, quiet }: { row: StorageRow; share: number; quiet?: boolean }) {
  const { label, to, photos, bytes } = row
  return (
    <tr>
      <th scope="row" className="py-2 text-left align-bottom font-normal">
        {to ? (
          <Link to={to} className="block truncate font-semibold hover:text-accent hover:underline" title={label}>
            {label}
          </Link>
        ) : (
          <span className={cx('block truncate', quiet ? 'text-muted' : 'font-semibold')}>{label}</span>
        )}
        <span aria-hidden className="mt-1.5 mb-1.5 block h-2 rounded-full bg-sunken">
          <span
            className={cx('block h-full min-w-1 rounded-full', quiet ? 'bg-muted' : 'bg-accent')}
            style={{ width: `${share * 100}%` }}
          />
        </span>
      </th>
      <td className="py-2 pl-4 text-right align-bottom whitespace-nowrap tabular-nums">
        {formatBytes(bytes)}
        <span className="block text-sm text-muted">{countOf(photos, 'photo')}</span>
      </td>
    </tr>
  )
}
