import { ChevronRight, SearchX } from 'lucide-react'
import { type ReactNode, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { useLocation } from 'react-router-dom'
import { type Content, OPEN_API_PATH, type OpenApiDocument, type Schema } from '../../api/open-api.ts'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState } from '../../components/ui/empty-state.tsx'
import { SearchInput } from '../../components/ui/search-input.tsx'
import { countOf } from '../../lib/format.ts'
import { limitsOf, type Operation, operationsOf, propertiesOf, searchOperations, typeOf } from './operations.ts'

const TONES = { GET: 'accent', POST: 'good', PUT: 'warn', PATCH: 'warn', DELETE: 'danger' } as const
/** Deeper objects are only named. */
const MAX_DEPTH = 4

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
      <SearchInput
        className="mt-6 block max-w-xl"
        aria-label="Search operations"
        placeholder="Search operations..."
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
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

interface OperationProps {
  operation: Operation
  document: OpenApiDocument
}

/** One operation: a line that opens to its parameters, body and responses. `linked`: the address names it. */
function OperationView({ operation, document, linked }: OperationProps & { linked: boolean }) {
  const { id, method, path, summary } = operation
  const element = useRef<HTMLDetailsElement>(null)
  // The contents of all operations would be thousands of elements.
  const [open, setOpen] = useState(linked)
  useEffect(() => {
    if (!linked) return
    setOpen(true)
    element.current?.scrollIntoView()
  }, [linked])
  return (
    <details
      ref={element}
      id={id}
      open={open}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      className="group scroll-mt-20 rounded-md bg-surface ring ring-line"
    >
      <summary className="flex min-h-11 cursor-pointer items-start gap-x-3 gap-y-1 rounded-md px-3 py-2.5 hover:bg-sunken/60 sm:px-4 [&::-webkit-details-marker]:hidden">
        <span className="w-16 shrink-0">
          <Badge tone={TONES[method as keyof typeof TONES]}>{method}</Badge>
        </span>
        <span className="min-w-0 flex-1">
          <code className="font-mono text-sm font-semibold wrap-anywhere">{path}</code>
          <span className="block text-sm text-pretty text-muted">{summary}</span>
        </span>
        <ChevronRight aria-hidden className="size-5 shrink-0 text-muted transition group-open:rotate-90" />
      </summary>
      {open && <Contents operation={operation} document={document} />}
    </details>
  )
}

function Contents({ operation, document }: OperationProps) {
  const { id, description, parameters = [], requestBody, responses } = operation
  return (
    <div className="grid gap-4 border-t border-line px-3 py-4 sm:px-4">
      {description && <Prose text={description} />}
      {parameters.length > 0 && (
        <Part title="Parameters">
          <ul className="grid gap-2">
            {parameters.map(({ name, in: place, required = false, schema = {}, description }) => (
              <li key={`${place} ${name}`}>
                <Fact {...{ name, place, required, schema, document, description }} />
              </li>
            ))}
          </ul>
        </Part>
      )}
      {requestBody && (
        <Part title={requestBody.required ? 'Body' : 'Body (optional)'}>
          <Bodies content={requestBody.content} document={document} />
        </Part>
      )}
      <Part title="Responses">
        <ul className="grid gap-3">
          {Object.entries(responses).map(([status, { description, content }]) => (
            <li key={status} className="grid gap-1.5">
              <p className="text-sm">
                <strong className="font-mono">{status}</strong> <span className="text-muted">{description}</span>
              </p>
              {content && <Bodies content={content} document={document} />}
            </li>
          ))}
        </ul>
      </Part>
      <a href={`#${id}`} className="w-fit text-sm font-medium text-accent hover:underline">
        Link to this operation
      </a>
    </div>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="grid gap-2">
      <h3 className="text-sm font-semibold">{title}</h3>
      {children}
    </section>
  )
}

function Bodies({ content, document }: { content: Content; document: OpenApiDocument }) {
  return Object.entries(content).map(([type, { schema = {} }]) => (
    <div key={type} className="grid gap-1.5">
      <p className="text-sm text-muted">
        <code className="font-mono">{type}</code>
        <span>{`, ${typeOf(schema, document)}`}</span>
      </p>
      <SchemaView schema={schema} document={document} />
    </div>
  ))
}

/** The properties of a body, each with its type, limits and meaning; those of objects inside are indented. */
function SchemaView({ schema, document, depth = 0 }: { schema: Schema; document: OpenApiDocument; depth?: number }) {
  const properties = propertiesOf(schema, document)
  if (properties.length === 0 || depth === MAX_DEPTH) return null
  return (
    <ul className="grid gap-2 border-l border-line pl-3">
      {properties.map(({ name, schema, required }) => (
        <li key={name} className="grid gap-1">
          <Fact name={name} required={required} schema={schema} document={document} />
          <SchemaView schema={schema} document={document} depth={depth + 1} />
        </li>
      ))}
    </ul>
  )
}

interface FactProps {
  name: string
  /** Where a parameter is: 'path', 'query', 'header'. */
  place?: string
  required: boolean
  schema: Schema
  document: OpenApiDocument
  description?: string
}

function Fact({ name, place, required, schema, document, description = schema.description }: FactProps) {
  const limits = limitsOf(schema, document)
  return (
    <p className="text-sm wrap-anywhere">
      <code className="font-mono font-semibold">{name}</code>{' '}
      <span className="text-muted">
        {[place, typeOf(schema, document), limits, required && 'required'].filter(Boolean).join(', ')}
      </span>
      {description && (
        <span className="block text-pretty text-muted">
          <Line text={description} />
        </span>
      )}
    </p>
  )
}

/** A description of the document: paragraphs, lists and code, which is all of Markdown that the services use. */
function Prose({ text }: { text: string }) {
  return (
    <div className="grid max-w-[72ch] gap-2 text-pretty wrap-anywhere">
      {text.split(/\n{2,}/).map((block) =>
        block.startsWith('- ') ? (
          <ul key={block} className="list-disc pl-5 marker:text-muted">
            {block.split(/\n(?=- )/).map((line) => (
              <li key={line}>
                <Line text={line.slice(2)} />
              </li>
            ))}
          </ul>
        ) : (
          <p key={block}>
            <Line text={block} />
          </p>
        ),
      )}
    </div>
  )
}

/** Every second part of a text split by backticks is code. */
function Line({ text }: { text: string }) {
  return text.split('`').map((part, index) => {
    const key = `${index} ${part}`
    return index % 2 === 1 ? (
      <code key={key} className="rounded-sm bg-sunken px-1 font-mono text-sm text-text">
        {part}
      </code>
    ) : (
      <span key={key}>{part}</span>
    )
  })
}
