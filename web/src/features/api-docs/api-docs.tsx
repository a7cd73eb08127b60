import { Search, SearchX } from 'lucide-react'
import { useDeferredValue, useMemo, useState } from 'react'
import { useLocation } from 'react-router-dom'
import { OPEN_API_PATH, type OpenApiDocument } from '../../api/open-api.ts'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState } from '../../components/ui/empty-state.tsx'
import { Input } from '../../components/ui/field.tsx'
import { countOf } from '../../lib/format.ts'
import { OperationView, Prose } from './operation-view.tsx'
import { operationsOf, searchOperations } from './operations.ts'

/** The operations of an OpenAPI document by tag, with a search. */
export function ApiDocs({ document }: { document: OpenApiDocument }) {
  const [search, setSearch] = useState('')
  const words = useDeferredValue(search)
  const { hash } = useLocation()
  const operations = useMemo(() => operationsOf(document), [document])
  const found = useMemo(() => searchOperations(operations, words), [operations, words])
  const byTag = Map.groupBy(found, ({ tag }) => tag)
  return (
    <>
      {document.info.description && <Prose text={document.info.description} />}
      <p className="mt-3">
        <a href={OPEN_API_PATH} className="font-medium text-accent hover:underline">
          OpenAPI document
        </a>{' '}
        <span className="text-muted">for generators and other tools</span>
      </p>
      <search className="relative mt-6 block max-w-xl">
        <Search aria-hidden className="absolute top-1/2 left-3.5 z-1 size-4 -translate-y-1/2 text-muted" />
        <Input
          type="search"
          aria-label="Search operations"
          placeholder="Search operations..."
          autoComplete="off"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          className="pl-10"
        />
      </search>
      <p role="status" className="mt-2 text-sm tabular-nums text-muted">
        {countOf(found.length, 'operation')}
      </p>
      {[...byTag].map(([tag, listed]) => (
        <section key={tag} aria-label={tag} className="mt-8">
          <h2 className="mb-3 text-xl font-semibold">{tag}</h2>
          <ul className="grid gap-2">
            {listed.map((operation) => (
              <li key={operation.id}>
                <OperationView operation={operation} document={document} linked={hash === `#${operation.id}`} />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {found.length === 0 && (
        <EmptyState
          icon={<SearchX />}
          title="No operations found"
          description="Try another word of the path or the description."
          action={<Button onClick={() => setSearch('')}>Clear search</Button>}
        />
      )}
    </>
  )
}
