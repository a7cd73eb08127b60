import { Search } from 'lucide-react'
import { type ReactNode, useDeferredValue, useState } from 'react'
import { Button } from '../../components/ui/button.tsx'
import { Input } from '../../components/ui/field.tsx'
import { countOf, formatNumber } from '../../lib/format.ts'
import { countTags, type Groups, type ShownGroup, searchGroups } from './tag-groups.ts'

interface GroupListProps {
  groups: Groups
  /** Content beside the search field. */
  aside: ReactNode
}

/** Tags in their groups, with a search in names and values. */
export function GroupList({ groups, aside }: GroupListProps) {
  const [search, setSearch] = useState('')
  const shown = searchGroups(groups, useDeferredValue(search))
  const all = countTags(searchGroups(groups, ''))
  const found = countTags(shown)
  if (all === 0) return <p className="py-10 text-center text-muted">No metadata available</p>
  return (
    <>
      <div className="flex flex-wrap gap-3">
        <search className="relative min-w-0 grow basis-56">
          <Search
            aria-hidden
            className="pointer-events-none absolute top-1/2 left-3.5 z-1 size-4 -translate-y-1/2 text-muted"
          />
          <Input
            type="search"
            aria-label="Search metadata"
            placeholder="Search metadata..."
            autoComplete="off"
            spellCheck={false}
            value={search}
            onChange={(event) => setSearch(event.target.value)}
            className="pl-10"
          />
        </search>
        {aside}
      </div>
      <p role="status" className="mt-2 text-sm text-muted">
        {found === all ? countOf(all, 'tag') : `${formatNumber(found)} of ${countOf(all, 'tag')}`}
      </p>
      {found === 0 ? (
        <div className="grid justify-items-center gap-4 py-10">
          <p className="text-muted">No tag or value matches your search</p>
          <Button onClick={() => setSearch('')}>Clear search</Button>
        </div>
      ) : (
        shown.map((group) => <Group key={group.name} group={group} />)
      )}
    </>
  )
}

function Group({ group: { name, tags } }: { group: ShownGroup }) {
  return (
    <section aria-label={name} className="mt-5">
      <h3 className="flex items-baseline gap-2 border-b border-line pb-1.5 font-semibold">
        {name} <span className="text-sm font-normal text-muted">{formatNumber(tags.length)}</span>
      </h3>
      <dl>
        {tags.map(([tag, value]) => (
          <div key={tag} className="border-b border-line py-2 sm:grid sm:grid-cols-[14rem_1fr] sm:gap-x-4">
            <dt className="text-sm/6 text-muted wrap-anywhere">{tag}</dt>
            <dd className="min-w-0 wrap-anywhere">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
