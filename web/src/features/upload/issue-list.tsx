import { formatNumber } from '../../lib/format.ts'

const SHOWN = 20

/** Sentences about files that are not part of the upload. */
export function IssueList({ issues }: { issues: readonly string[] }) {
  if (issues.length === 0) return null
  return (
    <div role="alert" className="rounded-md bg-warn-soft py-3 pr-4 pl-8 text-sm text-warn">
      <ul className="grid list-disc gap-1">
        {[...new Set(issues)].slice(0, SHOWN).map((issue) => (
          <li key={issue} className="wrap-anywhere">
            {issue}
          </li>
        ))}
        {issues.length > SHOWN && <li>and {formatNumber(issues.length - SHOWN)} more</li>}
      </ul>
    </div>
  )
}
